import { type ClientBase, escapeIdentifier, escapeLiteral } from "pg";
import { collections, serverTables } from "@mgmt/engine/internal";
import { listSecretPaths, secretPrefix } from "./row-codec.js";
import { toSqlName } from "./sql-names.js";

/** Returns the ids of the keys with which secrets in the records are encrypted. */
export const listUsedKeyIds = async (client: ClientBase, schemaName: string): Promise<string[]> => {
  const schema = escapeIdentifier(schemaName);
  const selects = Object.keys({ ...collections, ...serverTables }).flatMap((table) =>
    listSecretPaths(table).map(
      (path) =>
        `select split_part(secret #>> '{}', '.', 2) as id
          from ${schema}.${toSqlName(table)}, jsonb_path_query(doc, ${escapeLiteral(`$.${path.join(".")}`)}) as secret
          where starts_with(secret #>> '{}', ${escapeLiteral(secretPrefix)})`,
    ),
  );
  const { rows } = await client.query<{ id: string }>(selects.join(" union "));
  return rows.map(({ id }) => id);
};
