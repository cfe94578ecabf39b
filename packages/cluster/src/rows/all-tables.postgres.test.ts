import { type TableStates, replay } from "@mgmt/engine/internal";
import { afterEach, describe, expect, it } from "vitest";
import { sampleRows } from "../../../engine/test/store/store-under-test.js";
import type { OpenRecords } from "./open-records.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";

const cluster = new StoreCluster();
const write = { mode: "write", locks: [] } as const;

const opened: OpenRecords[] = [];
const open = async (schema: string): Promise<OpenRecords> => {
  const records = await cluster.openRecords(schema);
  opened.push(records);
  return records;
};
afterEach(() => Promise.all(opened.splice(0).map((records) => records.close())));

const addUser = (records: OpenRecords, id: string): Promise<unknown> =>
  replay(records, ({ tables }) => tables.store.users.insert(sampleRows.users(id)), {
    transactionOptions: write,
    isRejection: () => false,
  });

const idsIn = (states: TableStates): string[] => (states["users"]?.rows ?? []).map(([, { id }]) => id);

const withoutUsers = (states: TableStates): TableStates => ({
  ...states,
  users: { next: states["users"]?.next ?? 1, rows: [] },
});

describe("replacing the rows of all tables", () => {
  it("waits for a transaction that changes rows, and returns what it has changed", async () => {
    const schema = cluster.newSchema();
    const [first, second] = [await open(schema), await open(schema)];
    await addUser(first, "known");
    const transaction = second.begin(write);
    // Begins the transaction, which takes its locks.
    await transaction.load([]);
    const steps: string[] = [];
    const replaced = first.replaceAll((current) => {
      steps.push("replaced");
      return withoutUsers(current);
    });
    await cluster.untilWaiting();
    steps.push("committed");
    const row = sampleRows.users("late");
    await transaction.commit([
      { table: "users", deletes: [], updates: [], inserts: [{ row, sequence: undefined }] },
    ]);
    const { before, after } = await replaced;
    expect(steps).toEqual(["committed", "replaced"]);
    expect(idsIn(before)).toEqual(["known", "late"]);
    expect(idsIn(after)).toEqual([]);
    expect(idsIn(await second.readAllTables())).toEqual([]);
  });

  it("records which databases and backups are gone, until Postgres has dropped them", async () => {
    const schema = cluster.newSchema();
    const records = await open(schema);
    const options = { transactionOptions: write, isRejection: () => false };
    await replay(
      records,
      ({ tables: { store } }) => {
        for (const id of ["db_gone", "db_kept"]) store.databases.insert({ ...sampleRows.databases(id), id });
        store.backups.insert({ ...sampleRows.backups("bkp_gone"), id: "bkp_gone" });
      },
      options,
    );
    const readRemovals = async (): Promise<string[]> => {
      const { rows } = await cluster.pool.query<{ id: string }>(
        `select id from ${schema}.removals order by id`,
      );
      return rows.map(({ id }) => id);
    };
    await cluster.pool.query('create database "db_kept.bkp_gone" template template0');
    await records.replaceAll((current) => ({
      ...current,
      databases: {
        next: 9,
        rows: (current["databases"]?.rows ?? []).filter(([, { id }]) => id === "db_kept"),
      },
      backups: { next: 9, rows: [] },
    }));
    expect(await readRemovals()).toEqual(["bkp_gone", "db_gone"]);
    await records.replaceAll((current) => current);
    expect(await readRemovals()).toEqual(["bkp_gone"]);
    await cluster.pool.query('drop database "db_kept.bkp_gone"');
    await records.replaceAll((current) => current);
    expect(await readRemovals()).toEqual([]);
  });

  it("changes nothing when the new rows cannot be computed, and leaves nothing locked", async () => {
    const records = await open(cluster.newSchema());
    await addUser(records, "kept");
    const defect = new Error("No initial state");
    await expect(
      records.replaceAll(() => {
        throw defect;
      }),
    ).rejects.toBe(defect);
    await addUser(records, "next");
    expect(idsIn(await records.readAllTables())).toEqual(["kept", "next"]);
  });
});
