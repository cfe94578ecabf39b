import type { Context, GlobalFlags } from "../input/context.js";
import { confirmationNeeded } from "../errors/run-errors.js";
import { whyNotAsked } from "../input/ask.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { query, queryTarget } from "../postgres/query.js";

/** How many tables a question names. */
const maxNamedTables = 5;

/** When to ask. */
export interface Asking {
  /** Whether a person is asked about an empty database too. Default: false. */
  readonly evenIfEmpty?: boolean;
  /** Whether standard input is read for `--file`, so that nobody can be asked. Default: false. */
  readonly readsStdin?: boolean;
}

/**
 * Asks before a database that is not empty is changed.
 *
 * @param verb The action: `restore a dump into`.
 * @param what Whether tables or only rows make it not empty.
 * @throws `confirmation:needed` and `confirmation:declined`; `program:not_found` and `database:unreachable`.
 */
export const confirmUnlessEmpty = async (
  verb: string,
  access: DatabaseAccess,
  what: "tables" | "rows",
  flags: GlobalFlags,
  context: Context,
  { evenIfEmpty = false, readsStdin = false }: Asking = {},
): Promise<void> => {
  const tables = await (what === "tables" ? relationsIn(access, context) : tablesWithRows(access, context));
  const isSettled = tables.length === 0 && (!evenIfEmpty || whyNotAsked(context) !== undefined);
  if (isSettled || flags.yes) return;
  const names = [...tables.slice(0, maxNamedTables), ...(tables.length > maxNamedTables ? ["…"] : [])].join(
    ", ",
  );
  const which = what === "tables" ? "tables and views" : "tables with rows";
  const contents =
    tables.length === 0 ? "which is empty" : `which has ${String(tables.length)} ${which} (${names})`;
  const question = `${verb} database ${access.databaseId}, ${contents}`;
  if (readsStdin) throw confirmationNeeded(question, "standard input is read for --file");
  const { confirm } = await import("../input/confirm.js");
  await confirm(question, context);
};

/** Returns the names of the tables and views in a database, with their schemas. Throws the errors of `query`. */
const relationsIn = (access: DatabaseAccess, context: Pick<Context, "env" | "signal">): Promise<string[]> =>
  query("relations", queryTarget(access, context), context);

/** Returns the names of the tables that have rows, except those in which tools record migrations. Throws the errors of `query`. */
const tablesWithRows = (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => query("tablesWithRows", queryTarget(access, context), context);
