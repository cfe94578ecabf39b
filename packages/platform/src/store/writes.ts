import type { TableChanges } from "@mgmt/engine";
import { printJson } from "./json-text.js";
import { literal, nextSequence } from "./reads.js";
import { escapeLiteral } from "pg";
import { sqlName } from "./tables.js";

/**
 * Returns the statements that make these changes. They fail with `serialization_failure` when another transaction has changed
 * one of the rows, and with `unique_violation` when one has inserted a row with the same id or key.
 */
export const writesOf = (schema: string, changes: readonly TableChanges[]): string[] =>
  changes.flatMap((each) => {
    const table = `${schema}.${sqlName(each.table)}`;
    return [...deletesOf(schema, table, each), ...updatesOf(schema, table, each), ...insertsOf(table, each)];
  });

const required = (schema: string, statement: string, count: number): string =>
  `with done as (${statement} returning 1) select ${schema}.require((select count(*) from done) = ${String(count)})`;

const deletesOf = (schema: string, table: string, { deletes }: TableChanges): string[] => {
  if (deletes.length === 0) return [];
  const values = deletes.map(({ id, version }) => `(${literal(id)}, ${literal(version)})`);
  const statement =
    `delete from ${table} t using (values ${values.join(", ")}) w(id, version)` +
    " where t.id = w.id and t.xmin::text = w.version";
  return [required(schema, statement, deletes.length)];
};

const updatesOf = (schema: string, table: string, { updates }: TableChanges): string[] => {
  if (updates.length === 0) return [];
  const values = updates.map(
    ({ id, version, row }) => `(${literal(id)}, ${literal(version)}, ${document(row)})`,
  );
  const statement =
    `update ${table} t set doc = w.doc from (values ${values.join(", ")}) w(id, version, doc)` +
    " where t.id = w.id and t.xmin::text = w.version";
  return [required(schema, statement, updates.length)];
};

/** Inserts the rows one after the other, so that their sequence numbers increase. */
const insertsOf = (table: string, { inserts }: TableChanges): string[] =>
  inserts.map(({ row, sequence }) => {
    if (row === null) return sequence === undefined ? `select ${nextSequence(table)}` : "select";
    const [columns, first] =
      sequence === undefined ? ["id, doc", ""] : ["seq, id, doc", `${String(sequence)}, `];
    return `insert into ${table} (${columns}) values (${first}${literal(row.id)}, ${document(row)})`;
  });

/** Returns a row as an SQL literal. */
export const document = (row: object): string => `${escapeLiteral(printJson(row))}::jsonb`;
