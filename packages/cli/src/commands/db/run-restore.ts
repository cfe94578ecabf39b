import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Context, GlobalFlags } from "../../input/context.js";
import { restoreFailedError } from "../../errors/postgres-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { resolveDatabaseAccess, type DatabaseAccess } from "../../postgres/database-access.js";
import { requireNewestClientProgram } from "../../postgres/client-programs.js";
import { buildPostgresEnvironment } from "../../postgres/connection-environment.js";
import { type DumpInput, openDump } from "../../dumps/dump-input.js";
import { type RunningClient, startClient } from "../../postgres/start-client.js";
import { runProgramOutput, buildSqlOutputFlags } from "../../dumps/run-output.js";
import { scanScript } from "../../dumps/run-script.js";
import { confirmDatabaseChange } from "../../dumps/confirm-database-change.js";
import { runExaminedScript } from "../../dumps/run-examined-script.js";
import { printRestoreResult } from "./restore-result.js";

export interface RestoreFlags {
  /** Path, or `-` for standard input. */
  readonly file: string;
  /** Whether to drop the objects of the dump before they are created again. */
  readonly clean?: boolean;
}

/** Puts a dump back into a database, in one transaction. */
export const runRestore = async (
  databaseIdOrName: string | undefined,
  { file, clean = false }: RestoreFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, signal } = context;
  const input = await openDump(file, context);
  try {
    const isScript = input.format === "script";
    if (clean && isScript) {
      throw usageError(
        "--clean needs a dump in the custom format",
        "A dump in SQL drops nothing. Make one with mgmt db dump --format custom.",
      );
    }
    const scriptInfo = isScript ? await scanScript(input, dumpHint, signal) : undefined;
    const access = await resolveDatabaseAccess(databaseIdOrName, flags, context);
    const verbPhrase = clean
      ? "replace what a dump has, and drop what depends on it, in"
      : "restore a dump into";
    await confirmDatabaseChange(verbPhrase, access, "tables", flags, context, {
      readsStdin: input.path === undefined,
    });
    if (scriptInfo) await runExaminedScript(input, scriptInfo, access, context);
    else await restoreArchive(input, access, clean, context);
    if (scriptInfo && !scriptInfo.isDump) {
      const message = `${input.name} is not the output of pg_dump, so nothing in it says whether it was complete.`;
      output.notice({ code: "db:end_unknown", message, databaseId: access.databaseId });
    }
    await printRestoreResult("Restored", input, access, scriptInfo ? null : "pg_restore", context);
  } finally {
    await input.close();
  }
};

const dumpHint =
  "pg_dump writes none. Make the dump again without --create, or remove the line; if you trust the whole file, run psql yourself.";

const restoreArchive = async (
  input: DumpInput,
  access: DatabaseAccess,
  clean: boolean,
  context: Context,
): Promise<void> => {
  const program = await requireNewestClientProgram("pg_restore", context);
  const { path, name, format } = input;
  const args = [
    "--file=-",
    ...buildSqlOutputFlags(clean),
    ...(format === "folder" && path !== undefined ? [path] : []),
  ];
  const stopSpinner = context.output.startSpinner(() => `Writing to ${access.databaseId}`);
  const stdin = input.descriptor ?? "pipe";
  const env = buildPostgresEnvironment(context.env, {});
  let stdinFeeding = Promise.resolve();
  const startRestore = (): RunningClient => {
    const restoreProcess = startClient(program, args, { env, stdin, stdout: "pipe" }, context);
    if (restoreProcess.stdin) stdinFeeding = writeInput(input, restoreProcess);
    stdinFeeding.catch(() => undefined);
    return restoreProcess;
  };
  try {
    await runProgramOutput(startRestore, { name, clean, canClean: true }, access, context);
  } catch (error) {
    // An input that cannot be read is why the program failed.
    await stdinFeeding;
    throw restoreFailedError(error, access.databaseId);
  } finally {
    stopSpinner();
  }
};

/** Writes the contents of an input to a program. A failure to read ends the program before it could take the end for success. */
const writeInput = async (
  input: DumpInput,
  { stdin, kill, exited }: ReturnType<typeof startClient>,
): Promise<void> => {
  if (!stdin) return;
  const contents = Readable.from(delayChunks(input.readContents()), { objectMode: false });
  let readFailure: { readonly error: unknown } | undefined;
  contents.once("error", (error) => {
    readFailure = { error };
    kill();
  });
  // A program that has failed no longer reads; how it ended explains why.
  await pipeline(contents, stdin).catch(() => undefined);
  if (!readFailure) return;
  await exited.catch(() => undefined);
  throw readFailure.error;
};

/** Passes a chunk on when the next one is there: the last chunk of a damaged input is never passed on. */
const delayChunks = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let delayedChunk: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (delayedChunk) yield delayedChunk;
    delayedChunk = chunk;
  }
  if (delayedChunk) yield delayedChunk;
};
