import { beforeEach, describe, expect, it } from "vitest";
import { DatabaseUnavailableError } from "@mgmt/engine";
import { Api } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
let connectionId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ databaseId, connectionId } = await api.databaseWithConnection());
});

describe("work on a database server that cannot be reached", () => {
  const unavailable = new DatabaseUnavailableError("no connection");
  const rejection = { status: 503, code: "internal:unavailable" };

  it("creates the database once the server can be reached", async () => {
    const { project } = await api.project();
    const reachable = api.databases.fail("create", unavailable);
    const { data } = await api.ok("databases.create", { body: { projectId: project.id } });
    await api.later();
    expect((await api.store()).databases.get(data.id)?.status).toBe("provisioning");
    reachable();
    await api.later();
    expect((await api.store()).databases.get(data.id)?.status).toBe("ready");
    expect(api.defects).toEqual([]);
  });

  it("creates the database later when it was set to ready before the server can be reached", async () => {
    const { project } = await api.project();
    const reachable = api.databases.fail("create", unavailable);
    const { data } = await api.ok("databases.create", { body: { projectId: project.id } });
    await api.engine.states.setDatabaseStatus(data.id, "ready");
    expect(api.databases.passwords(data.id)).toBeUndefined();
    reachable();
    await api.later();
    expect((await api.store()).databases.get(data.id)).toMatchObject({ status: "ready", made: true });
    expect(api.defects).toEqual([]);
  });

  it("restores the database once the server can be reached", async () => {
    api.databases.write(databaseId, "before");
    const { id: backupId } = await api.engine.states.backUp(databaseId);
    api.databases.write(databaseId, "after");
    const reachable = api.databases.fail("restore", unavailable);
    const body = { source: { type: "backup", databaseId, backupId } };
    await api.ok("databases.restore", { path: { targetDatabaseId: databaseId }, body });
    await api.later();
    expect((await api.store()).databases.get(databaseId)?.status).toBe("recovering");
    reachable();
    await api.later();
    expect((await api.store()).databases.get(databaseId)?.status).toBe("ready");
    expect(api.databases.read(databaseId)).toBe("before");
  });

  it("refuses a rotation with Retry-After, and restores the password that it may have changed", async () => {
    const before = (await api.store()).connections.get(connectionId)?.pass;
    const reachable = api.databases.fail("grant", unavailable);
    expect(await api.send("connections.rotate", { path: { id: connectionId } })).toMatchObject({
      ...rejection,
      headers: { "retry-after": "1" },
    });
    api.databases.change(databaseId, connectionId, "half changed");
    reachable();
    await api.later();
    expect((await api.store()).connections.get(connectionId)?.pass).toBe(before);
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(before);
    expect((await api.store()).databases.get(databaseId)?.changes).toBeUndefined();
    const { status } = await api.send("connections.rotate", { path: { id: connectionId } });
    expect(status).toBe(200);
    expect(api.defects).toEqual([]);
  });

  it("refuses a new connection, and removes the login that may have been created", async () => {
    const { begun, release } = api.databases.hold("grant");
    const refused = api.send("connections.create", { body: { databaseId, name: "app" } });
    await begun;
    const change = (await api.store()).databases.get(databaseId)?.changes?.[0];
    const createdId = change?.type === "createConnection" ? change.connection.id : "none";
    const reachable = api.databases.fail("grant", unavailable);
    release();
    expect(await refused).toMatchObject(rejection);
    reachable();
    api.databases.change(databaseId, createdId, "half created");
    await api.later();
    expect((await api.store()).connections.list({ databaseId })).toHaveLength(1);
    expect(Object.keys(api.databases.passwords(databaseId) ?? {})).toEqual([connectionId]);
  });

  it("restores the password of a refused rotation once the server can be reached, however long that takes", async () => {
    const before = (await api.store()).connections.get(connectionId)?.pass;
    const reachable = api.databases.fail("grant", unavailable);
    expect(await api.send("connections.rotate", { path: { id: connectionId } })).toMatchObject(rejection);
    api.databases.change(databaseId, connectionId, "half changed");
    await api.later();
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe("half changed");
    reachable();
    await api.later();
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(before);
    expect(api.defects).toEqual([]);
  });

  it("backs up the database once the server can be reached", async () => {
    const reachable = api.databases.fail("backup", unavailable);
    api.databases.write(databaseId, "seven b");
    const { id } = await api.engine.states.backUp(databaseId);
    await api.later();
    expect((await api.store()).backups.get(id)).toMatchObject({ status: "running", size: null });
    reachable();
    await api.later();
    expect((await api.store()).backups.get(id)).toMatchObject({ status: "completed", size: 7 });
    expect(api.defects).toEqual([]);
  });

  it("refuses to delete a connection, and restores the login that may have been deleted", async () => {
    const pass = (await api.store()).connections.get(connectionId)?.pass;
    const reachable = api.databases.fail("revoke", unavailable);
    expect(await api.send("connections.delete", { path: { id: connectionId } })).toMatchObject(rejection);
    api.databases.change(databaseId, connectionId, undefined);
    reachable();
    await api.later();
    expect(api.databases.passwords(databaseId)).toEqual({ [connectionId]: pass });
  });

  it("completes a deletion that may have destroyed data, although its request got a 503 without Retry-After", async () => {
    const reachable = api.databases.fail("drop", unavailable);
    const { headers, ...reply } = await api.send("databases.delete", { path: { databaseId } });
    expect(reply).toMatchObject(rejection);
    expect(headers).not.toHaveProperty("retry-after");
    await api.later();
    const { data: listed } = await api.ok("databases.list");
    expect(listed.find(({ id }) => id === databaseId)?.status).toBe("failure");
    expect((await api.ok("databases.get", { path: { databaseId } })).data.status).toBe("failure");
    expect((await api.engine.snapshot()).jobs).toHaveLength(1);
    expect((await api.store()).databases.get(databaseId)?.changes).toMatchObject([
      { type: "deleteDatabase" },
    ]);
    reachable();
    await api.later();
    expect((await api.store()).databases.get(databaseId)).toBeUndefined();
    expect(api.databases.passwords(databaseId)).toBeUndefined();
    expect(api.defects).toEqual([]);
  });

  it("completes a deletion that may have destroyed data, although the project was transferred meanwhile", async () => {
    const reachable = api.databases.fail("drop", unavailable);
    expect(await api.send("databases.delete", { path: { databaseId } })).toMatchObject(rejection);
    const projectId = (await api.store()).databases.get(databaseId)?.projectId ?? "";
    const recipientAccessToken = await api.engine.tokens.otherUser();
    await api.ok("projects.transfer", { path: { id: projectId }, body: { recipientAccessToken } });
    reachable();
    await api.later();
    expect((await api.store()).databases.get(databaseId)).toBeUndefined();
    expect(api.databases.passwords(databaseId)).toBeUndefined();
    expect(api.defects).toEqual([]);
  });

  it("backs up nothing after the database of the backup was deleted", async () => {
    const reachable = api.databases.fail("backup", unavailable);
    await api.engine.states.backUp(databaseId);
    await api.ok("databases.delete", { path: { databaseId } });
    reachable();
    await api.later();
    expect(api.databases.backups.size).toBe(0);
    expect(api.defects).toEqual([]);
  });

  const rejectRotation = async () => {
    const reachable = api.databases.fail("grant", unavailable);
    expect(await api.send("connections.rotate", { path: { id: connectionId } })).toMatchObject(rejection);
    reachable();
  };

  it("restores no password after the database was deleted", async () => {
    await rejectRotation();
    await api.ok("databases.delete", { path: { databaseId } });
    await api.later();
    expect(api.defects).toEqual([]);
  });

  it("restores no password while the next rotation is made", async () => {
    await rejectRotation();
    const { begun, release } = api.databases.hold("grant");
    const rotated = api.ok("connections.rotate", { path: { id: connectionId } });
    await begun;
    // Runs the jobs of the database now.
    const restored = api.engine.states.setDatabaseStatus(databaseId, "ready");
    release();
    await Promise.all([rotated, restored]);
    expect((await api.store()).connections.get(connectionId)?.pass).toBe(
      api.databases.passwords(databaseId)?.[connectionId],
    );
  });

  it("reports that a password could not be restored for another reason", async () => {
    await rejectRotation();
    const error = new Error("no such role");
    api.databases.fail("grant", error);
    await api.later();
    // A stored server repeats the job.
    expect(api.defects[0]).toBe(error);
  });
});
