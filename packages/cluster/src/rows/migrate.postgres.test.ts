import { collections } from "@mgmt/engine/internal";
import { describe, expect, it } from "vitest";
import { NewerSchemaError, migrateSchema } from "./migrate.js";
import { migrations } from "./migrations.js";
import { toSqlName } from "./tables.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";

const cluster = new StoreCluster();

describe("the schema of the records", () => {
  it("has a column for every field of every key", async () => {
    const schema = await cluster.makeSchema();
    const { rows } = await cluster.pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = $1`,
      [schema],
    );
    const columns = new Set(rows.map(({ name }) => name));
    const wanted = Object.entries(collections).flatMap(([table, { keys }]) =>
      keys.flatMap((key) =>
        [...key.by, ...("and" in key ? key.and : [])].map(
          (field) => `${toSqlName(table)}.${toSqlName(field)}`,
        ),
      ),
    );
    expect(wanted.filter((name) => !columns.has(name))).toEqual([]);
  });

  it("is created once by processes that start at the same time", async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => cluster.pool.connect()));
    await Promise.all(clients.map((client) => migrateSchema(client, "started_together")));
    for (const client of clients) client.release();
    const { rows } = await cluster.pool.query("select version from started_together.migrations");
    expect(rows).toEqual(migrations.map((_, index) => ({ version: index + 1 })));
  });

  it("is refused, and not changed, where a newer program has changed it", async () => {
    const schema = await cluster.makeSchema();
    await cluster.pool.query(`insert into ${schema}.migrations values (1000)`);
    const client = await cluster.pool.connect();
    await expect(migrateSchema(client, schema)).rejects.toThrow(NewerSchemaError);
    client.release();
    const { rows } = await cluster.pool.query(`select max(version) as version from ${schema}.migrations`);
    expect(rows).toEqual([{ version: 1000 }]);
  });
});
