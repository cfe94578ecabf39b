import { collections, serverTables } from "@mgmt/engine/internal";
import { type ClientBase, escapeIdentifier } from "pg";
import { AlteredSecretError, type RowCodec, listSecretPaths } from "./row-codec.js";
import { toSqlName } from "./sql-names.js";

/** Number of rows that are read and changed together, so that no request waits for long. */
const batchSize = 100;

interface StoredRow {
  readonly seq: string;
  readonly id: string;
  readonly version: string;
  readonly doc: string;
}

/**
 * Encrypts with the first key the values that other keys have encrypted. Skips a row that a transaction is changing, so that it waits for none.
 *
 * @throws AlteredSecretError when a row cannot be decrypted, after all others are encrypted.
 */
export const reencryptRows = async (
  client: ClientBase,
  schemaName: string,
  codec: RowCodec,
): Promise<void> => {
  const alteredSecretErrors: AlteredSecretError[] = [];
  const tables = Object.keys({ ...collections, ...serverTables });
  for (const table of tables.filter((name) => listSecretPaths(name).length > 0)) {
    const sqlName = `${escapeIdentifier(schemaName)}.${toSqlName(table)}`;
    for (let rows = await readBatch(client, sqlName, "0"); rows.length > 0;) {
      const changedRows = rows.flatMap((row) => {
        try {
          const document = codec.reencode(table, row.doc);
          return document === undefined ? [] : [{ ...row, doc: document }];
        } catch (error) {
          if (!(error instanceof AlteredSecretError)) throw error;
          alteredSecretErrors.push(error);
          return [];
        }
      });
      if (changedRows.length > 0) await updateRows(client, sqlName, changedRows);
      rows = await readBatch(client, sqlName, rows.at(-1)?.seq ?? "0");
    }
  }
  const [firstError] = alteredSecretErrors;
  if (firstError !== undefined) throw firstError;
};

const readBatch = async (client: ClientBase, table: string, after: string): Promise<StoredRow[]> => {
  const { rows } = await client.query<StoredRow>(
    `select seq, id, xmin::text as version, doc::text as doc from ${table}
      where seq > $1 order by seq limit ${String(batchSize)}`,
    [after],
  );
  return rows;
};

const updateRows = async (client: ClientBase, table: string, rows: readonly StoredRow[]): Promise<void> => {
  await client.query(
    `update ${table} as stored set doc = locked.doc::jsonb
      from (
        select id, changed.doc from ${table} as t
          join unnest($1::text[], $2::text[], $3::text[]) as changed (id, version, doc) using (id)
          where t.xmin = changed.version::xid for update of t skip locked
      ) as locked
      where stored.id = locked.id`,
    [rows.map(({ id }) => id), rows.map(({ version }) => version), rows.map(({ doc }) => doc)],
  );
};
