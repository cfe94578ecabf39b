import type { PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  findApiDatabases,
  findDiscardedIds,
  findInterruptedDeletions,
  markRecordsAsLost,
} from "./api-databases.js";
import { RowCodec } from "../rows/row-codec.js";
import { createTestKeys } from "../../test/rows/record-keys.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";

const cluster = new StoreCluster();
let schema: string;
let client: PoolClient;

beforeAll(async () => {
  schema = await cluster.makeSchema();
  client = await cluster.pool.connect();
});
afterAll(() => client.release());
beforeEach(async () => {
  for (const table of ["databases", "connections", "backups", "jobs", "removals"])
    await client.query(`delete from ${schema}.${table}`);
});

const admin = {
  query: async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, [...values])).rows,
};

const keys = createTestKeys();
const codec = new RowCodec(keys);

const insert = (table: string, id: string, row: object): Promise<unknown> => {
  const document = codec.encode(table, { id, createdAt: 1, ...row });
  return client.query(`insert into ${schema}.${table} (id, doc) values ($1, $2)`, [id, document]);
};

const fieldsOf = async (table: string, ...fields: string[]): Promise<unknown[][]> => {
  const { rows } = await client.query<{ doc: Record<string, unknown> }>(
    `select doc from ${schema}.${table} order by id`,
  );
  return rows.map(({ doc }) => fields.map((field) => doc[field]));
};

describe("recordedDatabases", () => {
  it("returns every database with its connections and its completed backups, in the order of creation", async () => {
    await insert("databases", "db_b", {});
    await insert("databases", "db_a", {});
    await insert("connections", "con_1", { databaseId: "db_a", user: "u1", pass: "p1" });
    await insert("connections", "con_2", { databaseId: "db_b", user: "u2", pass: 'it\'s \\ "quoted"' });
    await insert("connections", "con_3", { databaseId: "db_b", user: "u3", pass: "p3" });
    await insert("backups", "bkp_1", { databaseId: "db_b", status: "completed" });
    await insert("backups", "bkp_2", { databaseId: "db_b", status: "running" });
    await insert("backups", "bkp_3", { databaseId: "db_b", status: "failed" });
    expect(await findApiDatabases(admin, schema, keys)).toEqual([
      {
        databaseId: "db_b",
        credentials: [
          { connectionId: "con_2", user: "u2", pass: 'it\'s \\ "quoted"' },
          { connectionId: "con_3", user: "u3", pass: "p3" },
        ],
        backupIds: ["bkp_1"],
        runningBackupIds: ["bkp_2"],
      },
      {
        databaseId: "db_a",
        credentials: [{ connectionId: "con_1", user: "u1", pass: "p1" }],
        backupIds: [],
        runningBackupIds: [],
      },
    ]);
  });

  it("returns the connections whose password was altered, with their rows, and the others", async () => {
    await insert("databases", "db_a", {});
    await insert("connections", "con_1", { databaseId: "db_a", user: "u1", pass: "p1" });
    await insert("connections", "con_2", { databaseId: "db_a", user: "u2", pass: "p2" });
    await client.query(
      `update ${schema}.connections c set doc = jsonb_set(doc, '{pass}', o.pass)
        from (select doc->'pass' as pass from ${schema}.connections where id = 'con_1') o where id = 'con_2'`,
    );
    expect(await findApiDatabases(admin, schema, keys)).toMatchObject([
      {
        credentials: [{ connectionId: "con_1", user: "u1", pass: "p1" }],
        alteredConnections: [
          {
            user: "u2",
            problem: expect.stringMatching(
              /^pass of con_2 in the table connections cannot be decrypted.*Rotate the connection, or restore its row$/,
            ) as string,
          },
        ],
      },
    ]);
  });

  it("returns nothing without databases", async () => {
    expect(await findApiDatabases(admin, schema, keys)).toEqual([]);
  });
});

describe("the removals in the records", () => {
  it("are those of replaced states, of failed backups, and of backups that are to be dropped, unless the records use the id again", async () => {
    await client.query(`insert into ${schema}.removals values ('db_replaced'), ('bkp_replaced')`);
    for (const status of ["completed", "running", "failed"])
      await insert("backups", `bkp_${status}`, { databaseId: "db_a", status });
    await insert("jobs", "job_1", { subject: "bkp_dropped", kind: "backup.drop", dueAt: 0 });
    await insert("jobs", "job_2", { subject: "bkp_running", kind: "backup.make", dueAt: 0 });
    // The records use these again.
    await insert("databases", "db_a", {});
    await client.query(`insert into ${schema}.removals values ('db_a'), ('bkp_completed')`);
    await insert("jobs", "job_3", { subject: "bkp_running", kind: "backup.drop", dueAt: 0 });
    expect((await findDiscardedIds(admin, schema)).toSorted()).toEqual([
      "bkp_dropped",
      "bkp_failed",
      "bkp_replaced",
      "db_replaced",
    ]);
  });
});

describe("interruptedDeletions", () => {
  it("returns the databases that are being deleted, unless one is to be filled from them before", async () => {
    const changes = [{ type: "setPassword" }, { type: "deleteDatabase" }];
    for (const [id, row] of Object.entries({
      db_1_deleting: { changes },
      db_2_copied: { changes, copies: ["db_4_fine"] },
      db_3_changing: { changes: [{ type: "setPassword" }] },
      db_4_fine: {},
      db_5_deleting: { changes },
    })) {
      await insert("databases", id, row);
      await insert("jobs", `job_${id}`, { subject: id, dueAt: 0 });
    }
    expect(await findInterruptedDeletions(admin, schema)).toEqual(["db_1_deleting", "db_5_deleting"]);
  });

  it("returns nothing without databases", async () => {
    expect(await findInterruptedDeletions(admin, schema)).toEqual([]);
  });
});

describe("markLost", () => {
  it("marks missing and broken databases, and leaves the others and those that are not made yet", async () => {
    for (const [id, made, status] of [
      ["db_1_missing", true, "ready"],
      ["db_2_not_made", false, "provisioning"],
      ["db_3_broken", true, "ready"],
      ["db_4_fine", true, "ready"],
    ] as const)
      await insert("databases", id, { made, status, name: "kept" });
    const missing = { databaseIds: ["db_1_missing", "db_2_not_made", "db_unknown"], backupIds: [] };
    expect(await markRecordsAsLost(admin, schema, missing, ["db_3_broken"])).toEqual(["db_1_missing"]);
    expect(await fieldsOf("databases", "id", "made", "status", "name")).toEqual([
      ["db_1_missing", false, "failure", "kept"],
      ["db_2_not_made", false, "provisioning", "kept"],
      ["db_3_broken", true, "failure", "kept"],
      ["db_4_fine", true, "ready", "kept"],
    ]);
  });

  it("leaves databases whose deletion is not complete, so that its job completes it", async () => {
    const row = {
      made: true,
      status: "ready",
      changes: [{ type: "setPassword" }, { type: "deleteDatabase" }],
    };
    for (const id of ["db_1_missing", "db_2_broken"]) await insert("databases", id, row);
    const missing = { databaseIds: ["db_1_missing"], backupIds: [] };
    expect(await markRecordsAsLost(admin, schema, missing, ["db_2_broken"])).toEqual([]);
    expect(await fieldsOf("databases", "made", "status")).toEqual([
      [true, "ready"],
      [true, "ready"],
    ]);
  });

  it("leaves backups that are running and have a job", async () => {
    await insert("backups", "bkp_1", { status: "running" });
    await insert("jobs", "job_1", { subject: "bkp_1", dueAt: 0 });
    await markRecordsAsLost(admin, schema, { databaseIds: [], backupIds: [] }, []);
    expect(await fieldsOf("backups", "status")).toEqual([["running"]]);
  });

  it("marks backups that are missing, or that are running without a job, as failed", async () => {
    await insert("backups", "bkp_1", { status: "completed", size: 1 });
    await insert("backups", "bkp_2", { status: "completed", size: 2 });
    await insert("backups", "bkp_3", { status: "running" });
    await markRecordsAsLost(admin, schema, { databaseIds: [], backupIds: ["bkp_1"] }, []);
    expect(await fieldsOf("backups", "id", "status", "size")).toEqual([
      ["bkp_1", "failed", 1],
      ["bkp_2", "completed", 2],
      ["bkp_3", "failed", undefined],
    ]);
  });
});
