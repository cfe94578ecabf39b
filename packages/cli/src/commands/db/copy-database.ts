import type { Context, GlobalFlags } from "../../input/context.js";
import { restoreFailedError } from "../../errors/postgres-errors.js";
import type { DatabaseAccess } from "../../postgres/database-access.js";
import { formatBytes } from "../../output/bytes.js";
import { requireClientProgram } from "../../postgres/client-programs.js";
import { type PostgresDatabase, readServerVersion } from "../../postgres/query.js";
import { type RunningClient, startClient } from "../../postgres/start-client.js";
import { type DumpScope, buildScopeFlags } from "../../dumps/pg-dump-arguments.js";
import { runProgramOutput, buildSqlOutputFlags } from "../../dumps/run-output.js";
import { confirmDatabaseChange } from "../../dumps/confirm-database-change.js";

export interface CopyFlags extends DumpScope {
  /** Whether to drop the objects in the target that the source has, before they are created again. */
  readonly clean?: boolean;
}

/** What `mgmt db copy` and `mgmt db import` print. */
export interface CopyResult {
  /** Id of the database, or the address of another Postgres server. */
  readonly from: string;
  /** The database that was written to. */
  readonly databaseId: string;
  /** Size of the SQL that was passed on. */
  readonly bytes: number;
}

/** Copies a database of any Postgres server into one of the service, after a confirmation, and prints the result. */
export const copyDatabase = async (
  source: PostgresDatabase,
  target: DatabaseAccess,
  { clean = false, schemaOnly = false, dataOnly = false }: CopyFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const serverVersion = await readServerVersion(source, context);
  const dumpProgram = await requireClientProgram("pg_dump", context, serverVersion);
  const verbPhrase = clean
    ? `replace what ${source.name} has, and drop what depends on it, in`
    : `copy ${source.name} into`;
  // The names of the two databases are easily swapped.
  await confirmDatabaseChange(verbPhrase, target, "tables", flags, context, { asksIfEmpty: true });

  let bytes = 0;
  const stopSpinner = output.startSpinner(() => `Copying ${source.name}: ${formatBytes(bytes)}`);
  try {
    const args = [
      ...buildSqlOutputFlags(clean),
      ...buildScopeFlags({ schemaOnly, dataOnly }),
      ...source.args,
    ];
    const streams = { stdin: "ignore", stdout: "pipe" } as const;
    const startDump = (): RunningClient =>
      startClient(dumpProgram, args, { env: source.env, ...streams }, context);
    const onBytes = (count: number): void => {
      bytes += count;
    };
    const dumpOptions = { name: source.name, clean, canClean: !dataOnly, onBytes };
    await runProgramOutput(startDump, dumpOptions, target, context).catch((error: unknown) => {
      throw restoreFailedError(error, target.databaseId);
    });
  } finally {
    stopSpinner();
  }
  output.info(`Copied ${source.name} into ${target.databaseId} (${formatBytes(bytes)}).`);
  const result: CopyResult = { from: source.name, databaseId: target.databaseId, bytes };
  await output.writeResult(result, "CopyResult");
};
