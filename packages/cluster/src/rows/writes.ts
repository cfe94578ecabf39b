import type { Row, TableChanges } from "@mgmt/engine/internal";
import { escapeLiteral } from "pg";
import type { Statement } from "./batch.js";
import { toStorable } from "./json-text.js";
import { buildNextSequenceSql } from "./reads.js";
import type { RowCodec } from "./row-codec.js";
import { toSqlName } from "./sql-names.js";

/** Changes with the rows as they are stored. */
export interface EncodedChanges extends Pick<TableChanges, "table" | "deletes"> {
  readonly updates: readonly { readonly id: string; readonly version: string; readonly document: string }[];
  readonly inserts: readonly {
    readonly row: { readonly id: string; readonly document: string } | null;
    readonly sequence: number | undefined;
  }[];
}

/** Returns changes with each row as the JSON document that its table stores, with its secrets encrypted. */
export const encodeChanges = (codec: RowCodec, changes: readonly TableChanges[]): EncodedChanges[] =>
  changes.map(({ table, deletes, updates, inserts }) => {
    const encode = (row: Row): string => codec.encode(table, row);
    return {
      table,
      deletes,
      updates: updates.map(({ id, version, row }) => ({ id, version, document: encode(row) })),
      inserts: inserts.map(({ row, sequence }) => ({
        row: row && { id: row.id, document: encode(row) },
        sequence,
      })),
    };
  });

/**
 * Returns the statements that make these changes. They fail with `serialization_failure` when another transaction has changed
 * one of the rows, and with `unique_violation` when one has inserted a row with the same id or key.
 */
export const buildWriteStatements = (schema: string, changes: readonly EncodedChanges[]): Statement[] =>
  changes.flatMap((tableChanges) => {
    const table = `${schema}.${toSqlName(tableChanges.table)}`;
    return [
      ...buildDeleteStatements(schema, table, tableChanges),
      ...buildUpdateStatements(schema, table, tableChanges),
      ...buildInsertStatements(table, tableChanges),
    ];
  });

/** Returns the text of a statement that fails unless it changes one row. */
const requireOneRow = (schema: string, statementText: string): string =>
  `with done as (${statementText} returning 1) select ${schema}.require((select count(*) from done) = 1)`;

const buildDeleteStatements = (schema: string, table: string, { deletes }: EncodedChanges): Statement[] =>
  deletes.map(({ id, version }) => ({
    text: requireOneRow(schema, `delete from ${table} where id = $1 and xmin = $2::xid`),
    values: [toStorable(id), version],
  }));

const buildUpdateStatements = (schema: string, table: string, { updates }: EncodedChanges): Statement[] =>
  updates.map(({ id, version, document }) => ({
    text: requireOneRow(schema, `update ${table} set doc = $3 where id = $1 and xmin = $2::xid`),
    values: [toStorable(id), version, document],
  }));

/** Inserts the rows one after the other, so that their sequence numbers increase. */
const buildInsertStatements = (table: string, { inserts }: EncodedChanges): Statement[] =>
  inserts.flatMap(({ row, sequence }) => {
    if (row === null)
      return sequence === undefined ? [{ text: `select ${buildNextSequenceSql(table)}`, values: [] }] : [];
    const values = [toStorable(row.id), row.document];
    return sequence === undefined
      ? [{ text: `insert into ${table} (id, doc) values ($1, $2)`, values }]
      : [
          {
            text: `insert into ${table} (id, doc, seq) values ($1, $2, $3)`,
            values: [...values, String(sequence)],
          },
        ];
  });

/** Returns a stored row as an SQL literal. */
export const quoteDocument = (document: string): string => `${escapeLiteral(document)}::jsonb`;
