import { ConflictError, type Store, type Want, keys, replay } from "@mgmt/engine";
import type { Pool } from "pg";
import { describe, expect, it } from "vitest";
import { NewerSchemaError, migrate } from "../../src/store/migrate.js";
import { migrations } from "../../src/store/migrations.js";
import { sqlName } from "../../src/store/tables.js";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import { StoreCluster } from "./store-cluster.js";

const cluster = new StoreCluster();

class Taken extends Error {}

const opened = async () => {
  const schema = await cluster.makeSchema();
  const runOn =
    (pool: Pool) =>
    <T>(
      step: (store: Store) => T,
      mode: "read" | "write" = "write",
      wants: readonly Want[] = [],
    ): Promise<T> =>
      replay(cluster.backing(schema, pool), ({ tables }) => step(tables.store), {
        access: { mode, locks: ["w"] },
        wants,
        isRefusal: (error) => error instanceof Taken,
      });
  return { schema, runOn, run: runOn(cluster.pool) };
};

describe("the schema of the records", () => {
  it("has a column for every field of every key", async () => {
    const schema = await cluster.makeSchema();
    const { rows } = await cluster.pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = $1`,
      [schema],
    );
    const columns = new Set(rows.map(({ name }) => name));
    const wanted = Object.entries(keys).flatMap(([table, all]) =>
      all.flatMap((key) =>
        [...key.by, ...("and" in key ? key.and : [])].map((field) => `${sqlName(table)}.${sqlName(field)}`),
      ),
    );
    expect(wanted.filter((name) => !columns.has(name))).toEqual([]);
  });

  it("is created once by processes that start at the same time", async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => cluster.pool.connect()));
    await Promise.all(clients.map((client) => migrate(client, "started_together")));
    for (const client of clients) client.release();
    const { rows } = await cluster.pool.query("select version from started_together.migrations");
    expect(rows).toEqual(migrations.map((_, index) => ({ version: index + 1 })));
  });

  it("is refused, and not changed, where a newer program has changed it", async () => {
    const schema = await cluster.makeSchema();
    await cluster.pool.query(`insert into ${schema}.migrations values (1000)`);
    const client = await cluster.pool.connect();
    await expect(migrate(client, schema)).rejects.toThrow(NewerSchemaError);
    client.release();
    const { rows } = await cluster.pool.query(`select max(version) as version from ${schema}.migrations`);
    expect(rows).toEqual([{ version: 1000 }]);
  });
});

describe("steps of several processes", () => {
  it("insert one row where 40 try to take the same key, and refuse 39", async () => {
    const { runOn } = await opened();
    const other = cluster.openPool();
    const create = (index: number) =>
      runOn(index % 2 === 0 ? cluster.pool : other)(({ projects }) => {
        const key = { workspaceId: "w", logicalId: "one" };
        if (projects.find(key)) throw new Taken();
        projects.insert(sampleRows.projects(`p${String(index)}`, key));
      }).then(
        () => "created",
        (error: unknown) => (error instanceof Taken ? "taken" : error),
      );
    const results = await Promise.all(Array.from({ length: 40 }, (_, index) => create(index)));
    await other.end();
    expect(results.filter((result) => result === "created")).toHaveLength(1);
    expect(results.filter((result) => result === "taken")).toHaveLength(39);
  });

  it("conflict where a row with the same key was inserted without the lock", async () => {
    const { schema } = await opened();
    const transaction = cluster.backing(schema).begin({ mode: "write", locks: [] });
    await transaction.load([]);
    const key = { workspaceId: "w", logicalId: "one" };
    const theirs = JSON.stringify(sampleRows.projects("theirs", key));
    await cluster.pool.query(`insert into ${schema}.projects (id, doc) values ('theirs', $1)`, [theirs]);
    const inserts = [{ row: sampleRows.projects("ours", key), sequence: undefined }];
    const committed = transaction.commit([{ table: "projects", deletes: [], updates: [], inserts }]);
    await expect(committed).rejects.toThrow(ConflictError);
    await transaction.rollback();
  });

  it("lose no update of a row", async () => {
    const { runOn, run } = await opened();
    const other = cluster.openPool();
    await run(({ projects }) => projects.insert(sampleRows.projects("p1", { name: "0" })));
    const increment = (pool: Pool) =>
      runOn(pool)(({ projects }) =>
        projects.update("p1", { name: String(Number(projects.get("p1")?.name) + 1) }),
      );
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => increment(index % 2 === 0 ? cluster.pool : other)),
    );
    await other.end();
    expect(await run(({ projects }) => projects.get("p1")?.name)).toBe("20");
  });

  it("list every row once while others insert 200", async () => {
    const { runOn, run } = await opened();
    const other = cluster.openPool();
    const where = { workspaceId: "w" };
    const insert = (index: number) =>
      runOn(other)(({ projects }) => projects.insert(sampleRows.projects(`p${String(index)}`)));
    const inserted = Promise.all(Array.from({ length: 200 }, (_, index) => insert(index)));
    const seen: string[] = [];
    let after: number | undefined;
    for (let isDone = false; seen.length < 200;) {
      const page = await run(
        ({ projects }) =>
          projects.page({ where, after, limit: 7 }).map(({ id }) => ({ id, at: projects.sequence(id) })),
        "read",
      );
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1)?.at ?? after;
      if (page.length === 0 && isDone) break;
      if (page.length === 0) {
        await inserted;
        isDone = true;
      }
    }
    await inserted;
    await other.end();
    expect([seen.length, new Set(seen).size]).toEqual([200, 200]);
  });

  it("see one snapshot while they only read", async () => {
    const { run, schema } = await opened();
    const backing = cluster.backing(schema);
    const transaction = backing.begin({ mode: "read", locks: [] });
    const want: Want = { read: "count", table: "projects", where: {} };
    expect(await transaction.load([want])).toEqual([0]);
    await run(({ projects }) => projects.insert(sampleRows.projects("p1")));
    expect(await transaction.load([want])).toEqual([0]);
    await transaction.rollback();
  });
});

describe("a row", () => {
  it("has any text", async () => {
    const { run } = await opened();
    const odd = "\u0000 \u0001 \ud800 ' \\ $1 -- 🐘";
    await run(({ projects }) => projects.insert(sampleRows.projects(odd, { name: odd, logicalId: odd })));
    const found = await run(({ projects }) => projects.find({ workspaceId: "w", logicalId: odd }));
    expect([found?.id, found?.name]).toEqual([odd, odd]);
  });
});

describe("many wants of one kind", () => {
  it("are all answered in one round trip", async () => {
    const { run } = await opened();
    const ids = Array.from({ length: 50 }, (_, index) => `d${String(index)}`);
    await run(({ connections }) => {
      for (const databaseId of ids) {
        for (const name of ["a", "b"])
          connections.insert(sampleRows.connections(databaseId + name, { databaseId }));
      }
    });
    const wants = [...ids, "none"].map((databaseId): Want => ({
      read: "range",
      table: "connections",
      where: { databaseId },
      after: null,
      limit: null,
      newestFirst: false,
    }));
    const seen = await run(
      ({ connections }) =>
        [...ids, "none"].map((databaseId) => connections.list({ databaseId }).map(({ id }) => id)),
      "read",
      wants,
    );
    expect(seen).toEqual([...ids.map((id) => [`${id}a`, `${id}b`]), []]);
  });
});
