import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "../run/database-url.js";
import { query, queryTarget } from "../postgres/query.js";

/** Returns the names of the tables and views in a database, with their schemas. Throws the errors of `query`. */
export const relationsIn = (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => query("relations", queryTarget(access, context), context);

/** Returns the names of the tables that have rows, except those in which tools record migrations. Throws the errors of `query`. */
export const tablesWithRows = (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => query("tablesWithRows", queryTarget(access, context), context);
