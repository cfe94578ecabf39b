import { readFile, writeFile } from "node:fs/promises";
import { RecordKeys, createRecordKeyList } from "@mgmt/cluster/rows/record-keys";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { TestService } from "../../test/service.js";
import { readServiceStatus, reencryptService } from "./operator.js";
import type { RunningService } from "./start-serve.js";

const service = new TestService();

const idOf = (list: string): string => new RecordKeys(list).current.id;

let firstFile = "";
let secondFile = "";
/** The list of keys before a test. */
let oldList = "";
let newKey = "";

const write = (path: string, list: string): Promise<void> => writeFile(path, list, { mode: 0o600 });

/** Resolves when the servers encrypt with the first keys of these lists, in the order of their starts. */
const untilKeys = async (...lists: string[]): Promise<void> => {
  const admin = await service.connect("service");
  onTestFinished(() => admin.end());
  await vi.waitFor(
    async () => {
      const { rows } = await admin.query("select key_id as id from mgmt.servers order by started_at");
      expect(rows).toEqual(lists.map((list) => ({ id: idOf(list) })));
    },
    { timeout: 20_000, interval: 50 },
  );
};

/** Creates a database, whose connection has a password in the records. */
const createDatabase = async (server: RunningService): Promise<void> => {
  const body = { name: "shop", region: "eu-central-1" };
  expect(await service.call(server, "POST", "/v1/projects", { body })).toMatchObject({ status: 201 });
};

const listConnections = async (server: RunningService): Promise<number> =>
  (await service.call(server, "GET", "/v1/connections")).status;

beforeEach(async () => {
  firstFile = service.settings.keyFile;
  secondFile = `${firstFile}.second`;
  oldList = await readFile(firstFile, "utf8");
  newKey = createRecordKeyList();
  await write(secondFile, oldList);
});

describe("the key of a service", () => {
  it("is rotated while two servers answer requests, and then the old one is not needed", async () => {
    const [first, second] = [await service.start(), await service.start({ keyFile: secondFile })];
    for (const server of [first, second]) await createDatabase(server);
    expect(await reencryptService(service.settings)).toEqual({ keyId: idOf(oldList), unusedKeyIds: [] });

    await write(firstFile, newKey + oldList);
    await untilKeys(newKey, oldList);
    const { servers } = await readServiceStatus(service.settings);
    await expect(reencryptService(service.settings, { keyWaitMs: 500 })).rejects.toMatchObject({
      code: "serve:keys_differ",
      message: expect.stringMatching(new RegExp(`: ${String(servers[1]?.id)}$`)),
    });
    // The second server has not read the new key, and looks for it when it meets it.
    await createDatabase(first);
    await write(secondFile, newKey + oldList);
    expect(await listConnections(second)).toBe(200);
    await untilKeys(newKey, newKey);
    expect(await reencryptService(service.settings)).toEqual({
      keyId: idOf(newKey),
      unusedKeyIds: [idOf(oldList)],
    });

    for (const file of [firstFile, secondFile]) await write(file, newKey);
    for (const server of [first, second]) expect(await listConnections(server)).toBe(200);
    await service.stopAll();
    const third = await service.start();
    expect(await listConnections(third)).toBe(200);
    await createDatabase(third);
    await service.stopAll();
    await write(secondFile, oldList);
    await expect(service.start({ keyFile: secondFile })).rejects.toMatchObject({
      code: "serve:keys_unknown",
      message: expect.stringContaining(idOf(newKey)),
    });
  });

  it("decrypts on a server that runs after it was removed too early, and others do not start", async () => {
    const server = await service.start();
    await createDatabase(server);
    await write(firstFile, newKey);
    onTestFinished(() => write(firstFile, oldList));
    const removed = {
      code: "serve:keys_unknown",
      hint: expect.stringContaining("put a key that was removed back"),
    };
    await expect(service.start()).rejects.toMatchObject(removed);
    await expect(reencryptService(service.settings)).rejects.toMatchObject(removed);
    await untilKeys(newKey);
    expect(await listConnections(server)).toBe(200);
  });

  it("stays in use while the key file cannot be used, which the log says once", async () => {
    const server = await service.start();
    service.log.length = 0;
    await write(firstFile, "hidden");
    const problems = (): unknown[] => service.log.filter(({ msg }) => String(msg).includes("The key file"));
    await vi.waitFor(() => expect(problems()).toHaveLength(1), 10_000);
    await createDatabase(server);
    await write(firstFile, oldList);
    await untilKeys(oldList);
    expect(problems()).toEqual([expect.objectContaining({ msg: expect.stringContaining("is not valid") })]);
    expect(JSON.stringify(service.log)).not.toContain("hidden");
  });

  it("encrypts all others when a secret was altered, and the command names its row", async () => {
    const server = await service.start();
    await createDatabase(server);
    await service.stopAll();
    const admin = await service.connect("service");
    const { rows } = await admin.query<{ id: string }>(
      `update mgmt.connections set doc = doc || '{"pass": "in clear"}'
        where id = (select min(id) from mgmt.connections) returning id`,
    );
    await write(firstFile, newKey + oldList);
    await expect(reencryptService(service.settings)).rejects.toMatchObject({
      code: "serve:secret_altered",
      message: expect.stringContaining(String(rows[0]?.id)),
    });
    await admin.query("delete from mgmt.connections where id = $1", [rows[0]?.id]);
    await admin.end();
    expect(await reencryptService(service.settings)).toMatchObject({ keyId: idOf(newKey) });
  });
});
