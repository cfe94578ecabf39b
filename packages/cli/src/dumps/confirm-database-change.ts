import type { Database } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { getNonInteractiveReason } from "../input/ask.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { findProtection } from "../profiles/protection.js";
import { connect } from "../service/connect.js";
import { runCatalogQuery, toPostgresDatabase } from "../postgres/query.js";

/** How many tables a question names. */
const maxNamedTables = 5;

/** When to ask. */
export interface ConfirmationOptions {
  /** Whether a person is asked about an empty database too. Default: false. */
  readonly asksIfEmpty?: boolean;
  /** Whether standard input is read for `--file`, so that no one can be asked. Default: false. */
  readonly readsStdin?: boolean;
}

/**
 * Asks before a database that is not empty is changed.
 *
 * @param verbPhrase the action without its object: `restore a dump into`.
 * @param contentsToCheck whether tables or only rows make it not empty.
 * @throws `confirmation:needed` and `confirmation:declined`; `program:not_found` and `database:unreachable`.
 */
export const confirmDatabaseChange = async (
  verbPhrase: string,
  access: DatabaseAccess,
  contentsToCheck: "tables" | "rows",
  flags: GlobalFlags,
  context: Context,
  { asksIfEmpty = false, readsStdin = false }: ConfirmationOptions = {},
): Promise<void> => {
  await context.output.implicitSettings.announceForChange();
  const tables = await (contentsToCheck === "tables"
    ? findRelations(access, context)
    : findTablesWithRows(access, context));
  const isProtected = findProtection(flags, context) !== undefined || flags.confirm !== undefined;
  const needsNoConfirmation =
    tables.length === 0 && (!asksIfEmpty || getNonInteractiveReason(context) !== undefined);
  if (needsNoConfirmation && !isProtected) return;
  const names = [...tables.slice(0, maxNamedTables), ...(tables.length > maxNamedTables ? ["…"] : [])].join(
    ", ",
  );
  const contentsLabel = contentsToCheck === "tables" ? "tables and views" : "tables with rows";
  const contentsPhrase =
    tables.length === 0 ? "which is empty" : `which has ${String(tables.length)} ${contentsLabel} (${names})`;
  const action = `${verbPhrase} database ${access.databaseId}, ${contentsPhrase}`;
  await confirmDatabase(action, access, flags, context, readsStdin);
};

/**
 * Asks before an irreversible change of a database.
 *
 * @param readsStdin whether standard input is read for `--file`, so that no one can be asked. Default: false.
 * @throws `confirmation:needed`, `confirmation:declined`, `confirmation:wrong_name`, and errors of the service.
 */
export const confirmDatabase = async (
  action: string,
  { databaseId: id }: DatabaseAccess,
  flags: GlobalFlags,
  context: Context,
  readsStdin = false,
): Promise<void> => {
  const { confirmResourceChange } = await import("../run/confirm-resource-change.js");
  const resources = async (): Promise<Database[]> => {
    const client = await connect(flags, context);
    return [await client.databases.get(id, { signal: context.signal })];
  };
  const noPromptReason = readsStdin ? "standard input is read for --file" : undefined;
  await confirmResourceChange({ action, resources, noPromptReason }, flags, context);
};

/** Returns the names of the tables and views in a database, with their schemas. Throws the errors of `runCatalogQuery`. */
const findRelations = (access: DatabaseAccess, context: Pick<Context, "env" | "signal">): Promise<string[]> =>
  runCatalogQuery("relations", toPostgresDatabase(access, context), context);

/** Returns the names of the tables that have rows, except those in which tools record migrations. Throws the errors of `runCatalogQuery`. */
const findTablesWithRows = (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => runCatalogQuery("tablesWithRows", toPostgresDatabase(access, context), context);
