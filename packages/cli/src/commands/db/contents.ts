import type { Context } from "../../input/context.js";
import type { DatabaseAccess } from "../../run/database-url.js";
import { query, queryTarget } from "./query.js";

/** Tables, views and foreign tables of users, without those of extensions. */
const relations = (kinds: string): string => `
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in (${kinds}) and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
    and not exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Returns the names of the tables and views in a database, with their schemas. Throws what `query` does. */
export const relationsIn = async (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> =>
  listOf(
    await query(
      `select coalesce(json_agg(format('%I.%I', n.nspname, c.relname) order by 1), '[]') ${relations("'r','p','v','m','f'")}`,
      queryTarget(access, context),
      context,
    ),
  );

/** Tables that tools fill when they create the schema. */
const migrationTables = "(migration|schema_version|flyway|alembic|goose_db|ar_internal_metadata)";

/** Returns the names of the tables that have rows, except those in which tools record migrations. Throws what `query` does. */
export const tablesWithRows = async (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => {
  const checks = await query(
    `select coalesce(json_agg(format('select %L where exists (select from %I.%I)', format('%I.%I', n.nspname, c.relname),
      n.nspname, c.relname)), '[]') ${relations("'r','p'")} and c.relname !~* '${migrationTables}'`,
    queryTarget(access, context),
    context,
  );
  const statements = listOf(checks);
  if (statements.length === 0) return [];
  const rows = `select coalesce(json_agg(name), '[]') from (${statements.join(" union all ")}) found (name)`;
  return listOf(await query(rows, queryTarget(access, context), context));
};

/** psql prints what `json_agg` returned, which is an array of texts. */
const listOf = (json: string): string[] => (JSON.parse(json) as unknown[]).map(String);
