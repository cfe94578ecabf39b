import { collections } from "@mgmt/engine/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { NewerSchemaError, migrateSchema, readInstallation } from "./migrate.js";
import { type Migration, migrations } from "./migrations.js";
import { ServerRegistry } from "./server-registry.js";
import { toSqlName } from "./sql-names.js";
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

  describe("of a newer program", () => {
    const step = (name: string, oldestProgram: number): Migration => ({
      buildStatements: (schema) => [`create table ${schema}.${name} ()`],
      oldestProgram,
    });
    const current = migrations.length;
    const expand = step("first_addition", migrations.at(-1)?.oldestProgram ?? current);
    const secondExpand = step("second_addition", expand.oldestProgram);

    it.for([
      { change: "an expand", steps: [expand], isAccepted: true },
      { change: "two expands", steps: [expand, secondExpand], isAccepted: true },
      {
        change: "a contract of what this program uses",
        steps: [step("change", current + 1)],
        isAccepted: false,
      },
      {
        change: "a contract of what this program does not use any more",
        steps: [expand, step("change", current)],
        isAccepted: true,
      },
      {
        change: "an expand after a contract of what this program uses",
        steps: [step("change", current + 1), step("addition", current + 1)],
        isAccepted: false,
      },
    ])("is used after $change: $isAccepted", async ({ steps, isAccepted }) => {
      const schema = await cluster.makeSchema();
      const client = await cluster.pool.connect();
      onTestFinished(() => client.release());
      const installation = await migrateSchema(client, schema, [...migrations, ...steps]);
      for (const open of [migrateSchema, readInstallation]) {
        const installationOfProgram = open(client, schema);
        if (isAccepted) expect(await installationOfProgram).toEqual(installation);
        else
          await expect(installationOfProgram).rejects.toMatchObject({
            name: "NewerSchemaError",
            storedVersion: current + steps.length,
            oldestProgram: current + 1,
          });
      }
      const { rows } = await cluster.pool.query(`select max(version) as version from ${schema}.migrations`);
      expect(rows).toEqual([{ version: current + steps.length }]);
    });

    it.for([
      { server: "knows the schema", oldestProgram: current, set: "", isRejected: false },
      { server: "does not know the schema", oldestProgram: current + 1, set: "", isRejected: true },
      {
        server: "is as old as the first ones that did not say what they know",
        oldestProgram: current,
        set: "schema_version = null",
        isRejected: true,
      },
      {
        server: "is older, while the step is an expand",
        oldestProgram: expand.oldestProgram,
        set: "schema_version = null",
        isRejected: false,
      },
      {
        server: "has lost its right to work",
        oldestProgram: current + 1,
        set: "fenced_at = clock_timestamp()",
        isRejected: false,
      },
      {
        server: "has been silent for long",
        oldestProgram: current + 1,
        set: "heartbeat_at = clock_timestamp() - interval '60 s'",
        isRejected: false,
      },
    ])(
      "is not made by a step for programs from $oldestProgram while a server runs that $server: $isRejected",
      async ({ oldestProgram, set, isRejected }) => {
        const schema = await cluster.makeSchema();
        const client = await cluster.pool.connect();
        onTestFinished(() => client.release());
        const server = { id: "server_old", version: "1.2.3", settings: {}, keyId: "key" };
        await new ServerRegistry(schema).register(client, "1", server);
        if (set !== "") await client.query(`update ${schema}.servers set ${set}`);
        const migrated = migrateSchema(client, schema, [...migrations, step("change", oldestProgram)]);
        if (isRejected)
          await expect(migrated).rejects.toMatchObject({
            name: "OlderServersError",
            servers: [{ id: "server_old", version: "1.2.3" }],
          });
        else await migrated;
        const { rows } = await cluster.pool.query(`select max(version) as version from ${schema}.migrations`);
        expect(rows).toEqual([{ version: isRejected ? current : current + 1 }]);
      },
    );

    it("never lets in a program that an earlier step has excluded", () => {
      const oldestPrograms = migrations.map(({ oldestProgram }) => oldestProgram);
      expect(oldestPrograms).toEqual(oldestPrograms.toSorted((a, b) => a - b));
      for (const [index, oldestProgram] of oldestPrograms.entries())
        expect(oldestProgram).toBeLessThanOrEqual(index + 1);
    });
  });
});
