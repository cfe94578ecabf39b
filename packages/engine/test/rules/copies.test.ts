import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Snapshot } from "@mgmt/engine";
import { openEngine } from "../server/engine-under-test.js";
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

/** Starts another server, with life cycles that take no time. */
const restart = (snapshot: Snapshot) =>
  openEngine({
    snapshot,
    databaseEngine: api.databases,
    settings: { lifecycle: { provisioning: 0, recovering: 0 } },
    onDefect: (error) => api.defects.push(error),
  });

/** Starts another server with the requests to fill a database and then to delete its source. It comes to the deletion first. */
const restartAtDeletion = async () => {
  const restarted = await restart(await duringDeletion(async () => api.engine.snapshot()));
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
    const { id: restored } = await api.database(projectId, {}, { provisioning: true });
    await api.engine.states.setDatabaseStatus(restored, "ready");
    await api.ok("databases.restore", { path: { targetDatabaseId: restored }, body: ofBackup() });
    await api.ok("databases.delete", { path: { databaseId: deleted ?? "" } });
    expect(await copiesOfSource()).toEqual([later, restored]);
    await api.ok("databases.delete", { path: { databaseId: sourceId } });
    expect(await api.status(later ?? "")).toBe("provisioning");
    expect(await api.status(restored)).toBe("recovering");
  });

  it("is deleted by the workspace it was transferred to, and leaves the copies in the old workspace as they are", async () => {
    const { project } = await api.project();
    const copy = async () => (await api.database(project.id, clone(), { provisioning: true })).id;
    const { id: restored } = await api.database(project.id);
    const restore = (body: object) =>
      api.ok("databases.restore", { path: { targetDatabaseId: restored }, body });
    await restore(ofBackup());
    const failed = await copy();
    await api.later(500);
    const [made, deleted] = [await copy(), await copy()];
    const body = { recipientAccessToken: await api.engine.tokens.otherUser() };
    await api.ok("projects.transfer", { path: { id: projectId }, body });
    await api.ok("databases.delete", { path: { databaseId: deleted } });
    const working = api.databases.fail("create");
    await api.later(500);
    working();
    await api.later();
    api.defects.length = 0;
    await api.engine.states.setDatabaseStatus(made, "provisioning");
    const { id: ownBackup } = await api.engine.states.backUp(restored);
    await restore({ source: { type: "backup", databaseId: restored, backupId: ownBackup } });

    const restarted = await restart(await api.engine.snapshot());
    const { status } = await restarted.handle({
      method: "DELETE",
      path: `/v1/databases/${sourceId}`,
      headers: { authorization: `Bearer ${await restarted.tokens.otherUser()}` },
    });
    expect(status).toBe(204);
    const { databases } = await restarted.readStore();
    expect(databases.get(sourceId)).toBeUndefined();
    expect(databases.get(made)?.status).toBe("provisioning");
    expect(databases.get(failed)).toMatchObject({ status: "failure", made: false });
    expect(databases.get(restored)?.status).toBe("recovering");
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
