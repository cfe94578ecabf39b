import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess, createDatabase } from "../../test/rows/stored-process.js";
import { RecordKeys, UnknownRecordKeyError, createRecordKeyList } from "./record-keys.js";
import { listUsedKeyIds } from "./used-keys.js";

const cluster = new StoreCluster();
const [oldKey, newKey] = [createRecordKeyList(), createRecordKeyList()];

const idOf = (list: string): string => new RecordKeys(list).current.id;

/** A file with keys that its processes read again. */
class KeyFile {
  constructor(public list: string) {}

  open(): RecordKeys {
    return new RecordKeys(this.list, () => Promise.resolve(this.list));
  }
}

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

  it("rotate the key while both answer requests, after which the old one is not needed", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const open = () => StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    const [first, second] = [await open(), await open()];
    const databaseIds = [await createDatabase(first), await createDatabase(second)];
    const passwords = await Promise.all(databaseIds.map((id) => passwordsOf(first, id)));
    expect(await first.records.reencrypt()).toEqual([]);

    file.list = newKey + oldKey;
    let isRotated = false;
    const sendUntilRotated = async (process: StoredProcess): Promise<number[]> => {
      const statuses: number[] = [];
      while (!isRotated) {
        statuses.push((await process.send("projects.create", { body: { name: "shop" } })).status);
        statuses.push((await process.send("connections.list")).status);
      }
      return statuses;
    };
    const sent = [first, second].map(sendUntilRotated);
    // The second process encrypts with the old key until it reads the file again.
    await first.records.reencrypt();
    await second.records.reencrypt();
    isRotated = true;
    const statuses = (await Promise.all(sent)).flat();
    expect(new Set(statuses)).toEqual(new Set([200, 201]));
    expect(await first.records.reencrypt()).toEqual([]);

    expect(await usedKeyIds(schema)).toEqual([idOf(newKey)]);
    file.list = newKey;
    const third = await open();
    expect(await Promise.all(databaseIds.map((id) => passwordsOf(third, id)))).toEqual(passwords);
  });

  it("use the old key no more after both have encrypted again, although one was writing with it", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const open = () => StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    const [first, second] = [await open(), await open()];
    await createDatabase(second);
    file.list = newKey + oldKey;
    expect(await first.records.reencrypt()).toEqual([]);
    const holder = await cluster.pool.connect();
    onTestFinished(() => holder.release(true));
    await holder.query(`begin; lock table ${schema}.connections in share mode`);
    // Has encrypted with the old key, which is the first of this process.
    const writing = createDatabase(second);
    await vi.waitFor(async () => {
      const { rowCount } = await cluster.pool.query(
        "select from pg_locks where locktype = 'relation' and not granted",
      );
      expect(rowCount).toBe(1);
    });
    const reencrypting = second.records.reencrypt();
    await cluster.untilWaiting();
    await holder.query("rollback");
    await writing;
    expect(await reencrypting).toEqual([]);
    await createDatabase(second);
    expect(await usedKeyIds(schema)).toEqual([idOf(newKey)]);
  });

  it("learn a new key from the file when they meet a secret that needs it", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const open = () => StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    const [first, second] = [await open(), await open()];
    file.list = newKey + oldKey;
    expect(await first.records.reencrypt()).toEqual([]);
    const databaseId = await createDatabase(first);
    expect(await passwordsOf(second, databaseId)).toEqual(await passwordsOf(first, databaseId));
    expect((await second.send("projects.list")).status).toBe(200);
    expect(await second.engine.snapshot()).toEqual(await first.engine.snapshot());
  });
});

describe("encrypting again", () => {
  it("changes more rows than fit in a batch, and reports the key of a row that a transaction holds", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const process = await StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    const { id: appId } = await process.engine.seed.app((await process.engine.seed.project()).id);
    await process.engine.seed.deployment(appId);
    const snapshot = await process.engine.snapshot();
    const [, row] = snapshot.store.deployments.rows[0] ?? [];
    if (!row) throw new Error("There is no deployment");
    const deployments = Array.from({ length: 230 }, (_, index) => ({ A: String(index) }));
    const ids = deployments.map((_, index) => row.id.slice(0, -3) + String(index).padStart(3, "0"));
    snapshot.store.deployments = {
      next: deployments.length + 1,
      rows: ids.map((id, index) => [index + 1, { ...row, id, envVars: deployments[index] ?? {} }]),
    };
    await process.engine.load(snapshot);
    const holder = await cluster.pool.connect();
    onTestFinished(() => holder.release(true));
    await holder.query("begin");
    await holder.query(`select from ${schema}.deployments where id = $1 for update`, [ids[7]]);

    file.list = newKey + oldKey;
    expect(await process.records.reencrypt()).toEqual([idOf(oldKey)]);
    await holder.query("rollback");
    expect(await process.records.reencrypt()).toEqual([]);
    const variables = await process.engine.read(({ store }) =>
      ids.map((id) => store.deployments.get(id)?.envVars),
    );
    expect(variables).toEqual(deployments);
  });

  it("goes on after a row that was altered, and reports it", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const process = await StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    const [altered, whole] = [await createDatabase(process), await createDatabase(process)];
    await cluster.pool.query(
      `update ${schema}.connections set doc = doc || '{"pass": "in clear"}' where database_id = $1`,
      [altered],
    );
    file.list = newKey + oldKey;
    await expect(process.records.reencrypt()).rejects.toThrow("in the table connections cannot be decrypted");
    expect(Object.keys(await passwordsOf(process, whole))).toHaveLength(1);
    expect(await usedKeyIds(schema)).toEqual([idOf(newKey)]);
  });

  it("changes nothing when the file cannot be used", async () => {
    const schema = cluster.newSchema();
    const file = new KeyFile(oldKey);
    const process = await StoredProcess.open(cluster, schema, { keys: file.open(), isStarted: false });
    file.list = "";
    const before = await dump(schema);
    await expect(process.records.reencrypt()).rejects.toThrow("it is empty");
    expect(await dump(schema)).toEqual(before);
    expect((await process.send("projects.list")).status).toBe(200);
  });
});
