import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEngine } from "../engine/engine-under-test.js";
import { Api } from "./api.js";

let api: Api;
let projectId: string;
/** The database that others are filled from. */
let sourceId: string;
let backupId: string;
beforeEach(async () => {
  api = await Api.open();
  projectId = (await api.project()).project.id;
  sourceId = (await api.database(projectId)).id;
  api.databases.write(sourceId, "saved");
  backupId = (await api.engine.states.backUp(sourceId)).id;
  api.databases.write(sourceId, "latest");
});
afterEach(() => {
  expect(api.defects).toEqual([]);
});

const requestCopy = (body: Record<string, unknown>) =>
  api.send("projects.databases.create", { path: { projectId }, body });
const clone = () => ({ source: { type: "database", databaseId: sourceId } });
const ofBackup = () => ({ source: { type: "backup", databaseId: sourceId, backupId } });
const copiesOfSource = async () => (await api.store()).databases.get(sourceId)?.copies;

/** Does the work while the deletion of the source is under way. Then the deletion fails. */
const duringDeletion = async <T>(work: () => Promise<T>): Promise<T> => {
  const { begun, release } = api.databases.hold("drop");
  const deleted = api.send("databases.delete", { path: { databaseId: sourceId } });
  await begun;
  const result = await work();
  const working = api.databases.fail("drop");
  release();
  expect((await deleted).status).toBe(500);
  working();
  api.defects.length = 0;
  return result;
};

/**
 * Starts another server with the requests to fill a database and then to delete its source, and with life cycles that take no time.
 * It comes to the deletion first.
 */
const restartAtDeletion = async () => {
  const snapshot = await duringDeletion(async () => api.engine.snapshot());
  const restarted = await openEngine({
    snapshot,
    databaseEngine: api.databases,
    settings: { lifecycle: { provisioning: 0, recovering: 0 } },
    onDefect: (error) => api.defects.push(error),
  });
  await restarted.clock.advance(0);
  return restarted;
};

describe("a database that is deleted after others were requested as its copies", () => {
  it.each([
    ["clone", clone, "latest"],
    ["copy of a backup", ofBackup, "saved"],
  ])("is deleted after each %s is filled", async (_, body, content) => {
    const ids = [await requestCopy(body()), await requestCopy(body())].map(
      (reply) => (reply.body as { data: { id: string } }).data.id,
    );
    expect(await copiesOfSource()).toEqual(ids);
    const restarted = await restartAtDeletion();
    const store = await restarted.readStore();
    expect(store.databases.get(sourceId)).toBeUndefined();
    for (const id of ids) {
      expect(store.databases.get(id)).toMatchObject({ status: "ready", made: true });
      expect(api.databases.read(id)).toBe(content);
    }
    // The jobs of the copies find nothing to do.
    await restarted.clock.advance(10_000);
    for (const id of ids) expect((await restarted.readStore()).databases.get(id)?.status).toBe("ready");
  });

  it("is deleted after another database is restored from its backup", async () => {
    const { id } = await api.database(projectId);
    await api.ok("databases.restore", { path: { targetDatabaseId: id }, body: ofBackup() });
    const store = await (await restartAtDeletion()).readStore();
    expect(store.databases.get(sourceId)).toBeUndefined();
    expect(store.databases.get(id)?.status).toBe("ready");
    expect(api.databases.read(id)).toBe("saved");
  });

  it("is deleted although a copy of it cannot be made", async () => {
    const { body } = await requestCopy(clone());
    const { id } = (body as { data: { id: string } }).data;
    const working = api.databases.fail("create");
    const store = await (await restartAtDeletion()).readStore();
    working();
    expect(store.databases.get(sourceId)).toBeUndefined();
    expect(store.databases.get(id)?.status).toBe("failure");
    api.defects.length = 0;
  });

  it("does not wait for copies that are deleted too, or that are made later on a virtual clock", async () => {
    const replies = [await requestCopy(clone()), await requestCopy(clone())];
    const [deleted, later] = replies.map((reply) => (reply.body as { data: { id: string } }).data.id);
    await api.ok("databases.delete", { path: { databaseId: deleted ?? "" } });
    expect(await copiesOfSource()).toEqual([later]);
    await api.ok("databases.delete", { path: { databaseId: sourceId } });
    expect((await api.store()).databases.get(later ?? "")?.status).toBe("provisioning");
  });
});

describe("the source of a copy", () => {
  it("lists the copy until it is filled", async () => {
    await requestCopy(clone());
    await requestCopy(ofBackup());
    expect(await copiesOfSource()).toHaveLength(2);
    await api.later();
    expect(await copiesOfSource()).toBeUndefined();
  });

  it("does not list a database that is restored from its own backup, or one that was refused", async () => {
    await api.ok("databases.restore", { path: { targetDatabaseId: sourceId }, body: ofBackup() });
    expect((await requestCopy(clone())).code).toBe("database:source_not_ready");
    expect(await copiesOfSource()).toBeUndefined();
  });

  it("cannot be used while it is being deleted", async () => {
    const { id } = await api.database(projectId);
    const path = { targetDatabaseId: id };
    const replies = await duringDeletion(async () => [
      await requestCopy(clone()),
      await requestCopy(ofBackup()),
      await api.send("databases.restore", { path, body: ofBackup() }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await requestCopy(clone())).status).toBe(201);
  });
});
