/**
 * Tables, views and foreign tables of users, without the tables of extensions.
 *
 * @param kinds values of `pg_class.relkind`.
 */
const buildUserRelationsFromClause = (kinds: string): string => `
from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
where c.relkind operator(pg_catalog.=) any (${kinds}::pg_catalog."char"[])
  and n.nspname operator(pg_catalog.<>) 'information_schema'
  and not pg_catalog.starts_with(n.nspname::pg_catalog.text, 'pg_')
  and not exists (select from pg_catalog.pg_depend d
    where d.classid operator(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
      and d.objid operator(pg_catalog.=) c.oid and d.deptype operator(pg_catalog.=) 'e')`;

/** Tables that tools fill when they create the schema. */
const migrationTablePattern = "(migration|schema_version|flyway|alembic|goose_db|ar_internal_metadata)";

/**
 * All SQL that the command itself sends to databases, whose users may not be trusted. Each is one statement with one column, and nothing is
 * ever inserted into it. Functions, operators, types and tables are qualified: an object that a user created in `public` can match a name
 * better than the object of Postgres (https://wiki.postgresql.org/wiki/A_Guide_to_CVE-2018-1058:_Protect_Your_Search_Path).
 */
export const catalogQueries = {
  serverVersion: "show server_version",

  /** The names of tables and views, with their schemas, as SQL writes them. */
  relations: `select pg_catalog.format('%I.%I', n.nspname, c.relname)
${buildUserRelationsFromClause(`array['r', 'p', 'v', 'm', 'f']`)}
order by 1`,

  /**
   * The names of tables that have rows, except those in which tools record migrations. A table has none if its file is empty.
   * Others are read, by `ts_stat`, which runs a statement that Postgres makes (https://www.postgresql.org/docs/current/textsearch-features.html#TEXTSEARCH-STATISTICS).
   * A table that may not be read, or not all of it, counts as one with rows.
   */
  tablesWithRows: `select pg_catalog.format('%I.%I', n.nspname, c.relname)
${buildUserRelationsFromClause(`array['r', 'p']`)}
  and not c.relispartition
  and c.relname::pg_catalog.text operator(pg_catalog.!~*) '${migrationTablePattern}'
  and (pg_catalog.pg_relation_size(c.oid) operator(pg_catalog.>) 0
    or exists (select from pg_catalog.pg_partition_tree(c.oid) part
      where pg_catalog.pg_relation_size(part.relid) operator(pg_catalog.>) 0))
  and case
    when not pg_catalog.has_schema_privilege(n.oid, 'usage') then true
    when not pg_catalog.has_table_privilege(c.oid, 'select') then true
    when pg_catalog.row_security_active(c.oid) then true
    else exists (select from pg_catalog.ts_stat(pg_catalog.format('select ''x''::pg_catalog.tsvector from %s %I.%I limit 1',
      case when c.relkind operator(pg_catalog.=) 'r' then 'only' end, n.nspname, c.relname)))
  end
order by 1`,
} as const;

/** Precedes each of `catalogQueries`, because the settings of a role and of a database can change the search path of a session. */
export const setSearchPathSql = "set local search_path = pg_catalog";
