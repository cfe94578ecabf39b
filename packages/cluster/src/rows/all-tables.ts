import { type TableStates, collections, serverTables } from "@mgmt/engine/internal";
import { type ClientBase, type QueryResult, escapeIdentifier } from "pg";
import { quoteStorableLiteral } from "./reads.js";
import type { RowCodec } from "./row-codec.js";
import { toSqlName } from "./sql-names.js";
import { quoteDocument } from "./writes.js";

const tableNames = Object.keys({ ...collections, ...serverTables });

/** Returns the rows of all tables with their sequence numbers. Call it in a transaction that excludes changes or has one snapshot. */
export const readAllTables = async (
  client: ClientBase,
  schemaName: string,
  codec: RowCodec,
): Promise<TableStates> => {
  const schema = escapeIdentifier(schemaName);
  const readStatements = tableNames.flatMap((name) => [
    `select seq as number, doc::text as doc from ${schema}.${toSqlName(name)} order by seq`,
    `select case when is_called then last_value + 1 else last_value end as number, null as doc
      from ${schema}.${toSqlName(name)}_seq_seq`,
  ]);
  // Several statements have several results, which the types of the driver do not express.
  const results = (await client.query(readStatements.join(";\n"))) as unknown as readonly QueryResult<{
    number: string;
    doc: string;
  }>[];
  const tableStateEntries = tableNames.map((name, index): [string, TableStates[string]] => {
    const { rows = [] } = results[2 * index] ?? {};
    const nextSequence = Number(results[2 * index + 1]?.rows[0]?.number ?? 1);
    return [
      name,
      {
        next: nextSequence,
        rows: rows.map(({ number, doc }) => [Number(number), codec.decode(name, doc)]),
      },
    ];
  });
  return Object.fromEntries(tableStateEntries);
};

/** Maximum number of rows per statement, which limits its length. */
const maxRowsPerStatement = 1_000;

/**
 * Replaces all rows of the tables that `tableStates` has. Call it in a transaction.
 *
 * @param options `isFirstWrite` means that no server has used the tables, so that nothing has to be deleted, and only tables with rows are
 *   opened, which makes a first start faster. Default: false.
 */
export const replaceAllTables = async (
  client: ClientBase,
  schemaName: string,
  codec: RowCodec,
  tableStates: TableStates,
  { isFirstWrite = false }: { readonly isFirstWrite?: boolean } = {},
): Promise<void> => {
  const schema = escapeIdentifier(schemaName);
  const tables = Object.keys(tableStates).map((name) => `${schema}.${toSqlName(name)}`);
  // Unlike TRUNCATE, DELETE does not change the snapshots of open read-only transactions.
  let statements = isFirstWrite ? [] : tables.map((table) => `delete from ${table}`);
  for (const [name, { next: nextSequence, rows }] of Object.entries(tableStates)) {
    const table = `${schema}.${toSqlName(name)}`;
    for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
      const values = rows
        .slice(start, start + maxRowsPerStatement)
        .map(
          ([sequence, row]) =>
            `(${String(sequence)}, ${quoteStorableLiteral(row.id)}, ${quoteDocument(codec.encode(name, row))})`,
        );
      statements.push(`insert into ${table} (seq, id, doc) values ${values.join(", ")}`);
      if (values.length < maxRowsPerStatement) continue;
      await client.query(statements.join(";\n"));
      statements = [];
    }
    if (isFirstWrite && nextSequence === 1) continue;
    statements.push(`select setval('${schema}.${toSqlName(name)}_seq_seq', ${String(nextSequence)}, false)`);
  }
  await client.query(statements.join(";\n"));
};

/**
 * Records which databases and backups another state no longer contains, so that a start drops them if this process ends before it has.
 * Removes those that Postgres has dropped, and those that the new state contains. Call it in the transaction that replaces the rows.
 */
export const recordRemovals = async (
  client: ClientBase,
  schemaName: string,
  before: TableStates,
  after: TableStates,
): Promise<void> => {
  const schema = escapeIdentifier(schemaName);
  const listIds = (states: TableStates): string[] =>
    ["databases", "backups"].flatMap((table) => (states[table]?.rows ?? []).map(([, { id }]) => id));
  const remainingIds = new Set(listIds(after));
  const removedIds = listIds(before).filter((id) => !remainingIds.has(id));
  await client.query(
    `delete from ${schema}.removals where id = any ($1) or not exists (
      select from pg_database where datname = id or right(datname, length(id) + 1) = '.' || id)`,
    [[...remainingIds]],
  );
  await client.query(`insert into ${schema}.removals (id) select unnest($1::text[]) on conflict do nothing`, [
    removedIds,
  ]);
};

/** Returns whether no server has used the schema yet. */
export const isSchemaUnused = async (client: ClientBase, schemaName: string): Promise<boolean> => {
  const { rows } = await client.query<{ isUsed: boolean }>(
    `select exists (select from ${escapeIdentifier(schemaName)}.server) as "isUsed"`,
  );
  return rows[0]?.isUsed === false;
};
