import { type StorageAdapter, type Store, ConflictError, type Preload, replay } from "@mgmt/engine/internal";
import { Connection, Pool } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toArrayLiteral, runBatch, createStatement } from "./batch.js";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";

const cluster = new StoreCluster();

class Taken extends Error {}

const opened = async () => {
  const schema = await cluster.makeSchema();
  const runOn =
    (pool: Pool) =>
    <T>(
      step: (store: Store) => T,
      mode: "read" | "write" = "write",
      preloads: readonly Preload[] = [],
    ): Promise<T> =>
      replay(cluster.storage(schema, pool), ({ tables }) => step(tables.store), {
        transactionOptions: { mode, locks: ["w"] },
        preloads,
        isRejection: (error) => error instanceof Taken,
      });
  return { schema, runOn, run: runOn(cluster.pool) };
};

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
    const transaction = cluster.storage(schema).begin({ mode: "write", locks: [] });
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
          projects
            .listPage({ where, after, limit: 7 })
            .map(({ id }) => ({ id, at: projects.getSequence(id) })),
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

  it.each([1, 20])(
    "see one snapshot in the last load of %i statements while they only read",
    async (kinds) => {
      const { run, schema } = await opened();
      const storage = cluster.storage(schema);
      const insert = (id: string) => run(({ projects }) => projects.insert(sampleRows.projects(id)));
      await insert("p0");
      let inserted = 0;
      const disturbed: StorageAdapter = {
        begin: (access) => {
          const transaction = storage.begin(access);
          return {
            ...{ commit: () => transaction.commit([]), rollback: () => transaction.rollback() },
            load: async (preloads) => {
              const found = await transaction.load(preloads);
              if (inserted < 3) await insert(`p${String((inserted += 1))}`);
              return found;
            },
          };
        },
      };
      const seen = await replay(
        disturbed,
        ({ tables }) => {
          const { projects } = tables.store;
          const counts = Array.from({ length: kinds }, (_, index) => {
            const where = { workspaceId: index === 0 ? "w" : ["w", String(index)] };
            return projects.count(where);
          });
          return [...counts, projects.list({ workspaceId: "w" }).length];
        },
        { transactionOptions: { mode: "read", locks: [] }, isRejection: () => false },
      );
      expect(new Set(seen).size).toBe(1);
      expect(inserted).toBeGreaterThan(1);
    },
  );
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

describe("a connection", () => {
  it("prepares a statement again whose batch failed before it", async () => {
    const pool = new Pool({ ...cluster.address, max: 1 });
    const client = await pool.connect();
    const prepared = vi.spyOn(Connection.prototype, "parse");
    onTestFinished(async () => {
      prepared.mockRestore();
      client.release();
      await pool.end();
    });
    const [one, two, wrong] = ["select 1", "select 2", "select 1 / (1 - $1::integer)"];
    const failed = runBatch(client, [
      createStatement(one),
      createStatement(wrong, "1"),
      createStatement(two),
    ]);
    await expect(failed).rejects.toThrow("division by zero");
    const sent = [createStatement(one), createStatement(wrong, "2"), createStatement(two)];
    for (let turn = 0; turn < 2; turn += 1)
      expect(await runBatch(client, sent)).toEqual([[["1"]], [["-1"]], [["2"]]]);
    // The platform uses other connections at the same time.
    const texts = prepared.mock.calls
      .map(([{ text }]) => text)
      .filter((text) => sent.some((statement) => statement.text === text));
    expect(texts).toEqual([one, wrong, two, one, wrong, two]);
  });

  it("passes any texts in an array", async () => {
    const texts = ["", "NULL", "null", '"', "\\", "a,b", "{}", " ", "🐘", "\n"];
    const client = await cluster.pool.connect();
    const rows = await runBatch(client, [
      createStatement("select to_json($1::text[])", toArrayLiteral(texts)),
      createStatement("select cardinality($1::text[])", toArrayLiteral([])),
    ]);
    client.release();
    expect([JSON.parse(String(rows[0]?.[0]?.[0])), rows[1]]).toEqual([texts, [["0"]]]);
  });
});

describe("a prepared statement", () => {
  const invalidations = [
    ["was discarded", () => "discard all"],
    ["was deallocated", () => "deallocate all"],
    [
      "returns a column whose type has changed",
      (schema: string, type: string) => `alter table ${schema}.projects alter seq type ${type}`,
    ],
  ] as const;

  it.each(invalidations)("that %s is prepared again by the next step", async (_, invalidate) => {
    const { schema, runOn } = await opened();
    // With one connection, each step uses the one whose statements are invalid.
    const pool = new Pool({ ...cluster.address, max: 1 });
    // The cluster may stop while the pool still ends a connection.
    pool.on("connect", (client) => client.on("error", () => undefined));
    onTestFinished(() => pool.end());
    const run = runOn(pool);
    const rename = (name: string) => run(({ projects }) => projects.update("p1", { name }));
    const read = () => run(({ projects }) => projects.get("p1")?.name, "read");
    await run(({ projects }) => projects.insert(sampleRows.projects("p1")));
    const prepareAll = async () => {
      await rename("before");
      await read();
    };
    await prepareAll();
    await pool.query(invalidate(schema, "integer"));
    expect(await read()).toBe("before");
    await prepareAll();
    await pool.query(invalidate(schema, "bigint"));
    await rename("after");
    expect(await read()).toBe("after");
  });
});

describe("many preloads of one kind", () => {
  it("are all answered in one round trip", async () => {
    const { run } = await opened();
    const ids = Array.from({ length: 50 }, (_, index) => `d${String(index)}`);
    await run(({ connections }) => {
      for (const databaseId of ids) {
        for (const name of ["a", "b"])
          connections.insert(sampleRows.connections(databaseId + name, { databaseId }));
      }
    });
    const preloads = [...ids, "none"].map((databaseId): Preload => ({
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
      preloads,
    );
    expect(seen).toEqual([...ids.map((id) => [`${id}a`, `${id}b`]), []]);
  });
});
