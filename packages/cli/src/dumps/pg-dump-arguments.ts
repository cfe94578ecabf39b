import { usageError } from "../errors/usage-errors.js";

/** Which part of a database is dumped. Default: all of it. */
export interface DumpScope {
  readonly schemaOnly?: boolean;
  readonly dataOnly?: boolean;
}

/** Returns the arguments that make pg_dump dump only this part. */
export const buildScopeFlags = ({ schemaOnly, dataOnly }: DumpScope): string[] => [
  ...(schemaOnly ? ["--schema-only"] : []),
  ...(dataOnly ? ["--data-only"] : []),
];

/**
 * Returns the pattern by which pg_dump selects a table. pg_dump folds upper case and interprets more wildcards in unquoted parts
 * (https://www.postgresql.org/docs/current/app-psql.html#APP-PSQL-PATTERNS).
 *
 * @param name `table` or `schema.table` as in the database, with `*` and `?` for any characters; or quoted as in SQL.
 * @throws a usage error if a part of it is empty.
 */
export const toTablePattern = (name: string): string => {
  if (name.includes('"')) return name;
  const parts = name.split(".");
  if (parts.length > 2 || parts.includes("")) {
    throw usageError(
      `--table: ${name} is not the name of a table`,
      `Pass table or schema.table. Quote a name that has dots, as in SQL: '"a.table"'.`,
    );
  }
  return parts.map((part) => part.replaceAll(/[^*?]+/g, '"$&"')).join(".");
};

/**
 * Returns the arguments of pg_dump that choose tables, each of which must exist.
 *
 * @param majorVersion version of pg_dump. One that is older than 16 leaves out the partitions of a table.
 */
export const buildTableFlags = (patterns: readonly string[], majorVersion: number): string[] => {
  if (patterns.length === 0) return [];
  const flag = majorVersion >= 16 ? "--table-and-children" : "--table";
  return ["--strict-names", ...patterns.map((pattern) => `${flag}=${pattern}`)];
};
