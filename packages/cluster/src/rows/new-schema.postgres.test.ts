import { describe, expect, it } from "vitest";
import { buildSchemaStatements } from "./new-schema.js";
import { recordsDatabase, recordsSchema } from "./records-location.js";
import { migrateSchema } from "./migrate.js";
import { Cluster } from "../../../platform/test/cluster.js";

const cluster = new Cluster();

const definition = async (schema: string): Promise<object[]> => {
  const admin = await cluster.connectAsAdmin(recordsDatabase);
  const { rows } = await admin.query(
    `select table_name, column_name, data_type, collation_name, is_nullable, generation_expression, identity_generation
        from information_schema.columns where table_schema = $1
      union all select tablename, replace(indexdef, $1, ''), '', '', '', '', '' from pg_indexes where schemaname = $1
      union all select proname, replace(pg_get_functiondef(oid), $1, ''), '', '', '', '', ''
        from pg_proc where pronamespace = $1::regnamespace
      order by 1, 2`,
    [schema],
  );
  await admin.end();
  return rows;
};

describe("a new cluster", () => {
  it("has the tables that a migration creates, in their current version", async () => {
    const admin = await cluster.connectAsAdmin(recordsDatabase);
    await migrateSchema(admin, "migrated");
    const created = await definition(recordsSchema);
    expect(created.length).toBeGreaterThan(100);
    expect(created).toEqual(await definition("migrated"));

    await migrateSchema(admin, recordsSchema);
    expect(await definition(recordsSchema)).toEqual(created);
    await admin.end();
  });

  it("ends each statement where single-user mode expects it", () => {
    for (const statement of buildSchemaStatements(recordsSchema)) expect(statement).not.toMatch(/;\n\n/);
  });
});
