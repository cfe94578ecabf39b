import type { Context, GlobalFlags } from "../input/context.js";
import { confirmationNeededError } from "../errors/confirmation-errors.js";
import { findNoPromptReason } from "../input/ask.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { runCatalogQuery, toPostgresDatabase } from "../postgres/query.js";

/** How many tables a question names. */
const maxNamedTables = 5;

/** When to ask. */
export interface ConfirmationOptions {
  /** Whether a person is asked about an empty database too. Default: false. */
  readonly asksIfEmpty?: boolean;
  /** Whether standard input is read for `--file`, so that nobody can be asked. Default: false. */
  readonly readsStdin?: boolean;
}

/**
 * Asks before a database that is not empty is changed.
 *
 * @param verbPhrase The action without its object: `restore a dump into`.
 * @param contentsToCheck Whether tables or only rows make it not empty.
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
  const tables = await (contentsToCheck === "tables"
    ? findRelations(access, context)
    : findTablesWithRows(access, context));
  const needsNoConfirmation =
    tables.length === 0 && (!asksIfEmpty || findNoPromptReason(context) !== undefined);
  if (needsNoConfirmation || flags.yes) return;
  const names = [...tables.slice(0, maxNamedTables), ...(tables.length > maxNamedTables ? ["…"] : [])].join(
    ", ",
  );
  const contentsLabel = contentsToCheck === "tables" ? "tables and views" : "tables with rows";
  const contentsPhrase =
    tables.length === 0 ? "which is empty" : `which has ${String(tables.length)} ${contentsLabel} (${names})`;
  const action = `${verbPhrase} database ${access.databaseId}, ${contentsPhrase}`;
  if (readsStdin) throw confirmationNeededError(action, "standard input is read for --file");
  const { confirm } = await import("../input/confirm.js");
  await confirm(action, context);
};

/** Returns the names of the tables and views in a database, with their schemas. Throws the errors of `runCatalogQuery`. */
const findRelations = (access: DatabaseAccess, context: Pick<Context, "env" | "signal">): Promise<string[]> =>
  runCatalogQuery("relations", toPostgresDatabase(access, context), context);

/** Returns the names of the tables that have rows, except those in which tools record migrations. Throws the errors of `runCatalogQuery`. */
const findTablesWithRows = (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => runCatalogQuery("tablesWithRows", toPostgresDatabase(access, context), context);
