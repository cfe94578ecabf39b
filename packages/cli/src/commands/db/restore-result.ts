import type { Context } from "../../input/context.js";
import type { DatabaseAccess } from "../../postgres/database-access.js";
import type { DumpInput } from "../../dumps/dump-input.js";

/** What `mgmt db restore` and `mgmt db seed` print. */
export interface RestoreResult {
  readonly databaseId: string;
  /** Path of the file; null for standard input. */
  readonly file: string | null;
  /** Program that read the file; null if it was `mgmt` itself. */
  readonly program: "pg_restore" | "psql" | null;
}

/** Prints which file was written into which database. */
export const printRestoreResult = async (
  verb: string,
  { path, name }: DumpInput,
  { databaseId }: DatabaseAccess,
  program: RestoreResult["program"],
  { output }: Context,
): Promise<void> => {
  output.info(`${verb} ${path ?? name} in database ${databaseId}.`);
  const result: RestoreResult = { databaseId, file: path ?? null, program };
  await output.writeResult(result, "RestoreResult");
};
