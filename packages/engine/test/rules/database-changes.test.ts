import { beforeEach, describe, expect, it } from "vitest";
import { ReferenceEngine } from "../../src/composition/reference-engine.js";
import { DatabaseUnavailableError } from "../../src/request/database-engine.js";
import { Api } from "./api.js";

let api: Api;
let databaseId: string;
let connectionId: string;
beforeEach(async () => {
  api = new Api();
  const { project } = await api.project();
  const database = await api.database(project.id);
  databaseId = database.id;
  connectionId = database.defaultConnectionId ?? "";
});

/** Takes a snapshot while the database engine processes a request, and starts another server with it. */
const restartDuring = async (work: "grant" | "revoke" | "drop", request: () => Promise<unknown>) => {
  const { begun, release } = api.databases.hold(work);
  const requested = request();
  await begun;
  const snapshot = api.engine.snapshot();
  release();
  await requested;
  const restarted = new ReferenceEngine({ snapshot, databaseEngine: api.databases });
  await restarted.clock.advance(0);
  return restarted;
};

describe("a change of a real database that a crash interrupts", () => {
  it("completes the creation of a connection", async () => {
    const body = { databaseId, name: "app" };
    const { store } = await restartDuring("grant", () => api.ok("connections.create", { body }));
    expect(store.connections.list({ databaseId }).map(({ name }) => name)).toEqual(["default", "app"]);
    expect(store.databases.get(databaseId)?.changes).toBeUndefined();
  });

  it("completes a rotation with the password that it set", async () => {
    const { store } = await restartDuring("grant", () =>
      api.ok("connections.rotate", { path: { id: connectionId } }),
    );
    expect(store.connections.get(connectionId)?.pass).toBe(
      api.databases.passwords(databaseId)?.[connectionId],
    );
  });

  it("does not complete a rotation after a later one was answered", async () => {
    const { begun, release } = api.databases.hold("grant");
    const interrupted = api.ok("connections.rotate", { path: { id: connectionId } });
    await begun;
    const snapshot = api.engine.snapshot();
    release();
    await interrupted;
    // The job of the interrupted rotation is taken over only after some time.
    const jobs = snapshot.jobs.map((job) => ({ ...job, dueAt: job.dueAt + 1_000 }));
    const restarted = new ReferenceEngine({ snapshot: { ...snapshot, jobs }, databaseEngine: api.databases });
    const { status } = await restarted.handle({
      method: "POST",
      path: `/v1/connections/${connectionId}/rotate`,
      headers: { authorization: `Bearer ${await restarted.tokens.user()}` },
    });
    expect(status).toBe(200);
    const answered = restarted.store.connections.get(connectionId)?.pass;
    await restarted.clock.advance(1_000);
    expect(restarted.store.connections.get(connectionId)?.pass).toBe(answered);
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(answered);
    expect(restarted.store.databases.get(databaseId)?.changes).toBeUndefined();
  });

  it("completes the deletion of a connection", async () => {
    const { store } = await restartDuring("revoke", () =>
      api.ok("connections.delete", { path: { id: connectionId } }),
    );
    expect(store.connections.get(connectionId)).toBeUndefined();
  });

  it("completes the deletion of a database", async () => {
    const { store } = await restartDuring("drop", () => api.ok("databases.delete", { path: { databaseId } }));
    expect(store.databases.get(databaseId)).toBeUndefined();
    expect(store.connections.list({ databaseId })).toEqual([]);
  });

  it("completes the deletion of a project with its default database", async () => {
    const { project } = await api.project();
    const { store } = await restartDuring("drop", () =>
      api.ok("projects.delete", { path: { id: project.id } }),
    );
    expect(store.projects.get(project.id)).toBeUndefined();
  });
});

describe("work on a database server that cannot be reached", () => {
  const unavailable = new DatabaseUnavailableError("no connection");
  const refusal = { status: 503, code: "internal:unavailable" };

  it("creates the database once the server can be reached", async () => {
    const { project } = await api.project();
    const reachable = api.databases.fail("create", unavailable);
    const { data } = await api.ok("databases.create", { body: { projectId: project.id } });
    await api.later();
    expect(api.store.databases.get(data.id)?.status).toBe("provisioning");
    reachable();
    await api.later();
    expect(api.store.databases.get(data.id)?.status).toBe("ready");
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
    expect(api.store.databases.get(databaseId)?.status).toBe("recovering");
    reachable();
    await api.later();
    expect(api.store.databases.get(databaseId)?.status).toBe("ready");
    expect(api.databases.read(databaseId)).toBe("before");
  });

  it("refuses a rotation with Retry-After, and restores the password that it may have changed", async () => {
    const before = api.store.connections.get(connectionId)?.pass;
    const reachable = api.databases.fail("grant", unavailable);
    expect(await api.send("connections.rotate", { path: { id: connectionId } })).toMatchObject(refusal);
    api.databases.change(databaseId, connectionId, "half changed");
    reachable();
    await api.later();
    expect(api.store.connections.get(connectionId)?.pass).toBe(before);
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(before);
    expect(api.store.databases.get(databaseId)?.changes).toBeUndefined();
    const { status } = await api.send("connections.rotate", { path: { id: connectionId } });
    expect(status).toBe(200);
    expect(api.defects).toEqual([]);
  });

  it("refuses a new connection, and removes the login that may have been created", async () => {
    const reachable = api.databases.fail("grant", unavailable);
    expect(await api.send("connections.create", { body: { databaseId, name: "app" } })).toMatchObject(
      refusal,
    );
    reachable();
    api.databases.change(databaseId, "con_half", "half created");
    await api.later();
    expect(api.store.connections.list({ databaseId })).toHaveLength(1);
  });

  it("refuses to delete a connection, and restores the login that may have been deleted", async () => {
    const pass = api.store.connections.get(connectionId)?.pass;
    const reachable = api.databases.fail("revoke", unavailable);
    expect(await api.send("connections.delete", { path: { id: connectionId } })).toMatchObject(refusal);
    api.databases.change(databaseId, connectionId, undefined);
    reachable();
    await api.later();
    expect(api.databases.passwords(databaseId)).toEqual({ [connectionId]: pass });
  });

  it("completes a deletion that may have destroyed data, although its request was refused", async () => {
    const reachable = api.databases.fail("drop", unavailable);
    expect(await api.send("databases.delete", { path: { databaseId } })).toMatchObject(refusal);
    await api.later();
    expect(api.store.databases.get(databaseId)?.changes).toMatchObject([{ type: "deleteDatabase" }]);
    reachable();
    await api.later();
    expect(api.store.databases.get(databaseId)).toBeUndefined();
    expect(api.databases.passwords(databaseId)).toBeUndefined();
    expect(api.defects).toEqual([]);
  });
});

it("stores a change before it works on the real database", async () => {
  const saved: number[] = [];
  let id = "";
  const engine: ReferenceEngine = new ReferenceEngine({
    seed: "changes",
    databaseEngine: api.databases,
    afterMutation: () => void saved.push(engine.store.databases.get(id)?.changes?.length ?? 0),
  });
  const { database } = await engine.seed.project();
  id = database?.id ?? "";
  saved.length = 0;
  const authorization = `Bearer ${await engine.tokens.user()}`;
  const path = `/v1/connections/${database?.defaultConnectionId ?? ""}/rotate`;
  const { status } = await engine.handle({ method: "POST", path, headers: { authorization } });
  expect([status, ...saved]).toEqual([200, 1, 0]);
});
