import type { TableChanges } from "@mgmt/engine/internal";
import { escapeLiteral } from "pg";
import type { Statement } from "./batch.js";
import { printJson, toStorable } from "./json-text.js";
import { nextSequence } from "./reads.js";
import { sqlName } from "./tables.js";

/**
 * Returns the statements that make these changes. They fail with `serialization_failure` when another transaction has changed
 * one of the rows, and with `unique_violation` when one has inserted a row with the same id or key.
 */
export const writesOf = (schema: string, changes: readonly TableChanges[]): Statement[] =>
  changes.flatMap((tableChanges) => {
    const table = `${schema}.${sqlName(tableChanges.table)}`;
    return [
      ...deletesOf(schema, table, tableChanges),
      ...updatesOf(schema, table, tableChanges),
      ...insertsOf(table, tableChanges),
    ];
  });

/** Returns the text of a statement that fails unless it changes one row. */
const requireRows = (schema: string, statement: string): string =>
  `with done as (${statement} returning 1) select ${schema}.require((select count(*) from done) = 1)`;

const deletesOf = (schema: string, table: string, { deletes }: TableChanges): Statement[] =>
  deletes.map(({ id, version }) => ({
    text: requireRows(schema, `delete from ${table} where id = $1 and xmin = $2::xid`),
    values: [toStorable(id), version],
  }));

const updatesOf = (schema: string, table: string, { updates }: TableChanges): Statement[] =>
  updates.map(({ id, version, row }) => ({
    text: requireRows(schema, `update ${table} set doc = $3 where id = $1 and xmin = $2::xid`),
    values: [toStorable(id), version, printJson(row)],
  }));

/** Inserts the rows one after the other, so that their sequence numbers increase. */
const insertsOf = (table: string, { inserts }: TableChanges): Statement[] =>
  inserts.flatMap(({ row, sequence }) => {
    if (row === null)
      return sequence === undefined ? [{ text: `select ${nextSequence(table)}`, values: [] }] : [];
    const values = [toStorable(row.id), printJson(row)];
    return sequence === undefined
      ? [{ text: `insert into ${table} (id, doc) values ($1, $2)`, values }]
      : [
          {
            text: `insert into ${table} (id, doc, seq) values ($1, $2, $3)`,
            values: [...values, String(sequence)],
          },
        ];
  });

/** Returns a row as an SQL literal. */
export const rowJsonSql = (row: object): string => `${escapeLiteral(printJson(row))}::jsonb`;
