import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Context, GlobalFlags } from "../../input/context.js";
import { restoreFailed } from "../../errors/postgres-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { databaseAccess, type DatabaseAccess } from "../../run/database-url.js";
import { formatBytes } from "../../output/bytes.js";
import { findClientProgram } from "./client-programs.js";
import { clientEnvironment } from "./connection-environment.js";
import { queryTarget, type QueryTarget, serverVersion } from "./query.js";
import { startClient } from "./run-client.js";
import { type ForeignSource, foreignSource } from "./foreign-source.js";
import { type DumpedPart, partFlags } from "./parts.js";
import { restoreFlags } from "./run-restore.js";
import { confirmUnlessEmpty, inOneTransaction } from "./target.js";

export interface CopyFlags extends DumpedPart {
  /** Whether to drop what the source has before it is created again. */
  readonly clean?: boolean;
}

/** What `mgmt db copy` and `mgmt db import` print. */
export interface CopyResult {
  /** Id of the database, or the address of another Postgres server. */
  readonly from: string;
  /** The database that was written to. */
  readonly databaseId: string;
  /** Size of the dump that was passed on, which is compressed. */
  readonly bytes: number;
}

/** Copies a database of the service into another, without a file between them. */
export const runCopy = async (
  [from, to]: readonly [string, string],
  copyFlags: CopyFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await databaseAccess(from, flags, context);
  const target = await databaseAccess(to, flags, context);
  if (source.databaseId === target.databaseId) {
    throw usageError(
      `${from} and ${to} are the same database`,
      "Pass the database to copy, and another one.",
    );
  }
  await transfer(queryTarget(source, context), target, copyFlags, flags, context);
};

/** Copies the database of any Postgres server into one of the service. */
export const runImport = async (
  database: string | undefined,
  { sourceFile, sourceEnv, ...copyFlags }: CopyFlags & ForeignSource,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const source = await foreignSource({ sourceFile, sourceEnv }, context);
  const target = await databaseAccess(database, flags, context);
  await transfer(source, target, copyFlags, flags, context);
};

const transfer = async (
  source: QueryTarget,
  target: DatabaseAccess,
  { clean = false, ...part }: CopyFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const server = await serverVersion(source, context);
  const dumper = await findClientProgram("pg_dump", context, server);
  // Archives of a newer pg_dump cannot be read.
  const restorer = await findClientProgram("pg_restore", context, dumper);
  const verb = clean ? `replace what ${source.name} has in` : `copy ${source.name} into`;
  // The names of the two databases are easily swapped.
  await confirmUnlessEmpty(verb, target, "tables", flags, context, { evenIfEmpty: true });

  let bytes = 0;
  const stop = output.startSpinner(() => `Copying ${source.name}: ${formatBytes(bytes)}`);
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    await inOneTransaction(target, context, async () => {
      const dumpArgs = [
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        ...partFlags(part),
        ...source.args,
      ];
      const dump = startClient(
        dumper,
        dumpArgs,
        { env: source.env, stdin: "ignore", stdout: "pipe" },
        context,
      );
      const env = clientEnvironment(context.env, target);
      const restore = startClient(
        restorer,
        restoreFlags(clean),
        { env, stdin: "pipe", stdout: "ignore" },
        context,
      );
      let isReadToEnd = true;
      if (dump.stdout && restore.stdin) {
        await pipeline(dump.stdout, count, restore.stdin, { end: false }).catch(() => (isReadToEnd = false));
      }
      if (isReadToEnd) {
        try {
          await dump.ended;
          restore.stdin?.end();
        } catch (error) {
          // An incomplete dump must not look like the end of one.
          restore.kill();
          await restore.ended.catch(() => undefined);
          throw error;
        }
      } else dump.kill();
      await restore.ended.catch((error: unknown) => {
        throw restoreFailed(error, target.databaseId, !clean);
      });
    });
  } finally {
    stop();
  }
  output.info(`Copied ${source.name} into ${target.databaseId} (${formatBytes(bytes)}).`);
  const result: CopyResult = { from: source.name, databaseId: target.databaseId, bytes };
  await output.result(result, "CopyResult");
};
