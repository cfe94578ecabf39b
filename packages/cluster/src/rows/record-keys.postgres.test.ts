import { describe, expect, it, onTestFinished } from "vitest";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess, createDatabase } from "../../test/rows/stored-process.js";
import { RecordKeys, UnknownRecordKeyError, createRecordKeyList } from "./record-keys.js";
import { listUsedKeyIds } from "./used-keys.js";

const cluster = new StoreCluster();
const [oldKey, newKey] = [createRecordKeyList(), createRecordKeyList()];

const idOf = (list: string): string => new RecordKeys(list).current.id;

const usedKeyIds = async (schema: string): Promise<string[]> => {
  const client = await cluster.pool.connect();
  onTestFinished(() => client.release());
  return listUsedKeyIds(client, schema);
};

const dump = async (schema: string): Promise<unknown> => {
  const { rows } = await cluster.pool.query("select schema_to_xml($1::name, true, false, '')::text", [
    schema,
  ]);
  return rows;
};

/** Returns the passwords of the connections to a database, by connection. */
const passwordsOf = (process: StoredProcess, databaseId: string) =>
  process.engine.read(({ store }) =>
    Object.fromEntries(store.connections.list({ databaseId }).map(({ id, pass }) => [id, pass])),
  );

describe("records of other keys", () => {
  it("are refused and not changed, and open with their own", async () => {
    const schema = cluster.newSchema();
    const keys = new RecordKeys(oldKey);
    const first = await StoredProcess.open(cluster, schema, { keys, isStarted: false });
    const databaseId = await createDatabase(first);
    const passwords = await passwordsOf(first, databaseId);
    await first.close();
    const before = await dump(schema);

    const refused = cluster.openRecords(schema, new RecordKeys(newKey));
    await expect(refused).rejects.toThrow(new UnknownRecordKeyError([idOf(oldKey)]));
    expect(await dump(schema)).toEqual(before);
    const second = await StoredProcess.open(cluster, schema, { keys, isStarted: false });
    expect(await passwordsOf(second, databaseId)).toEqual(passwords);
  });

  it("are refused although a single secret needs the other key", async () => {
    const schema = cluster.newSchema();
    const process = await StoredProcess.open(cluster, schema, {
      keys: new RecordKeys(oldKey + newKey),
      isStarted: false,
    });
    await createDatabase(process);
    const rotated = await StoredProcess.open(cluster, schema, {
      keys: new RecordKeys(newKey + oldKey),
      isStarted: false,
    });
    const { id } = await rotated.engine.seed.app((await rotated.engine.seed.project()).id);
    await rotated.engine.seed.deployment(id, { envVars: { A: "1" } });
    const refused = cluster.openRecords(schema, new RecordKeys(oldKey));
    await expect(refused).rejects.toThrow(new UnknownRecordKeyError([idOf(newKey)]));
  });

  it("do not become known because a name looks like an encrypted secret", async () => {
    const schema = cluster.newSchema();
    const keys = new RecordKeys(oldKey);
    const process = await StoredProcess.open(cluster, schema, { keys, isStarted: false });
    const databaseId = await createDatabase(process);
    const body = { name: `v1.${idOf(newKey)}.AAAA` };
    expect((await process.send("databases.update", { path: { databaseId }, body })).status).toBe(200);
    expect(await usedKeyIds(schema)).toEqual([idOf(oldKey)]);
  });
});

describe("two processes on the same records", () => {
  it("read what the other has written, although their first keys differ", async () => {
    const schema = cluster.newSchema();
    const first = await StoredProcess.open(cluster, schema, {
      keys: new RecordKeys(oldKey + newKey),
      isStarted: false,
    });
    const second = await StoredProcess.open(cluster, schema, {
      keys: new RecordKeys(newKey + oldKey),
      isStarted: false,
    });
    for (const [writer, reader] of [
      [first, second],
      [second, first],
    ] as const) {
      const databaseId = await createDatabase(writer);
      const passwords = await passwordsOf(writer, databaseId);
      expect(Object.keys(passwords)).not.toEqual([]);
      expect(await passwordsOf(reader, databaseId)).toEqual(passwords);
    }
    expect((await usedKeyIds(schema)).sort()).toEqual([idOf(oldKey), idOf(newKey)].sort());
  });
});
