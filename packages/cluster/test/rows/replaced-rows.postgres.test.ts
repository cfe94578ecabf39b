import { DatabaseUnavailableError, type Snapshot } from "@mgmt/engine";
import { expect, it, onTestFinished, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "./store-cluster.js";
import { createDatabase, openTwo } from "./stored-process.js";

const cluster = new StoreCluster();

const openWithDatabase = async () => {
  const databaseEngine = new ModelDatabases();
  const settings = { lifecycle: { provisioning: 0 } };
  const { first, second } = await openTwo(cluster, { databaseEngine, settings });
  const databaseId = await createDatabase(first);
  await first.engine.states.setDatabaseStatus(databaseId, "ready");
  const rows = () => first.engine.read(({ store }) => store.connections.list({ databaseId }));
  const [connection] = await rows();
  return { databaseEngine, first, second, databaseId, rows, connectionId: connection?.id ?? "" };
};

type Opened = Awaited<ReturnType<typeof openWithDatabase>>;

/** Waits until the rows have no change that was requested and is not made. */
const whenReplaced = ({ first, databaseId }: Opened) =>
  vi.waitFor(async () => {
    const row = await first.engine.read(({ store }) => store.databases.get(databaseId));
    expect(row).toBeDefined();
    expect(row?.changes).toBeUndefined();
  });

const expectMatch = async ({ rows, databaseEngine, databaseId }: Opened): Promise<void> => {
  const passwords = (await rows()).map(({ id, pass }) => [id, pass]);
  expect(databaseEngine.passwords(databaseId) ?? {}).toEqual(Object.fromEntries(passwords));
};

/** Loads the snapshot while the real database makes the change of the request, in another process. */
const loadDuring = async (
  opened: Opened,
  work: "grant" | "drop",
  request: () => Promise<unknown>,
  snapshot: Snapshot,
): Promise<void> => {
  const { begun, release } = opened.databaseEngine.hold(work);
  const requested = request();
  await begun;
  const loaded = opened.first.engine.load(snapshot);
  await whenReplaced(opened);
  release();
  await Promise.all([requested, loaded]);
};

it("leaves the password of the rows in the database when they are replaced during a rotation", async () => {
  const opened = await openWithDatabase();
  const { first, second, connectionId } = opened;
  const snapshot = await first.engine.snapshot();
  const rotate = () => second.send("connections.rotate", { path: { id: connectionId } });
  await rotate();
  await loadDuring(opened, "grant", rotate, snapshot);
  await expectMatch(opened);
});

it("does not keep a database without a row when the rows are replaced during its deletion", async () => {
  const opened = await openWithDatabase();
  const { first, second, databaseId, databaseEngine } = opened;
  const snapshot = await first.engine.snapshot();
  const id = await first.engine.read(({ store }) => store.databases.get(databaseId)?.projectId ?? "");
  const remove = () => second.send("projects.delete", { path: { id } });
  await loadDuring(opened, "drop", remove, snapshot);
  const row = await first.engine.read(({ store }) => store.databases.get(databaseId));
  expect(databaseEngine.databases.has(databaseId)).toBe(row !== undefined);
});

it("sets the login of a rotation that could not reach the database server before the rows were replaced", async () => {
  const opened = await openWithDatabase();
  const { first, second, databaseEngine, databaseId, connectionId } = opened;
  const snapshot = await first.engine.snapshot();
  databaseEngine.change(databaseId, connectionId, "of the rotation");
  const available = databaseEngine.fail("grant", new DatabaseUnavailableError("away"));
  const { status } = await second.send("connections.rotate", { path: { id: connectionId } });
  expect(status).toBe(503);
  await first.engine.load(snapshot);
  await expectMatch(opened);
  available();
});

it("drops databases that the rows no longer contain as soon as the database server can be reached", async () => {
  const opened = await openWithDatabase();
  const { first, databaseEngine, databaseId } = opened;
  const later = await createDatabase(first);
  const snapshot = await first.engine.snapshot();
  const available = databaseEngine.fail("drop", new DatabaseUnavailableError("away"));
  const emptied = first.engine.reset();
  const isGone = () => first.engine.read(({ store }) => store.databases.get(later) === undefined);
  await vi.waitFor(async () => expect(await isGone()).toBe(true));
  const loaded = first.engine.load(snapshot);
  await vi.waitFor(async () => expect(await isGone()).toBe(false));
  available();
  await Promise.all([emptied, loaded]);
  expect(databaseEngine.databases.has(databaseId)).toBe(true);
  await first.engine.reset();
  expect(databaseEngine.databases.size).toBe(0);
});

it("waits for the database server with many databases without a warning of Node.js", async () => {
  const { first, databaseEngine } = await openWithDatabase();
  for (let count = 0; count < 11; count += 1) await createDatabase(first);
  await first.engine.idle();
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const drop = vi.spyOn(databaseEngine, "drop");
  const available = databaseEngine.fail("drop", new DatabaseUnavailableError("away"));
  const emptied = first.engine.reset();
  await vi.waitFor(() => expect(drop.mock.calls.length).toBeGreaterThan(24));
  available();
  await emptied;
  expect(databaseEngine.databases.size).toBe(0);
  expect(warnings).toEqual([]);
});
