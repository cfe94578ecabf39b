import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryServer, type Snapshot } from "@mgmt/engine";
import { type EngineUnderTest, openEngine } from "../../../test/server/engine-under-test.js";
import { Api } from "../../../test/rules/api.js";

let api: Api;
let databaseId: string;
let connectionId: string;
beforeEach(async () => {
  api = await Api.open();
  ({ databaseId, connectionId } = await api.databaseWithConnection());
});

/** Takes a snapshot while the database engine processes a request, and starts another server with it. */
const restartDuring = async (work: "grant" | "revoke" | "drop", request: () => Promise<unknown>) => {
  const { begun, release } = api.databases.hold(work);
  const requested = request();
  await begun;
  const snapshot = await api.engine.snapshot();
  release();
  await requested;
  const restarted = await openWith(snapshot);
  await restarted.clock.advance(0);
  return restarted.readStore();
};

/** Starts another server with a snapshot of the first one. */
const openWith = (snapshot: Snapshot) =>
  openEngine({
    snapshot,
    databaseEngine: api.databases,
    onDefect: (error) => api.defects.push(error),
  });

describe("a change of a real database that a crash interrupts", () => {
  afterEach(() => {
    expect(api.defects).toEqual([]);
  });

  it("completes the creation of a connection", async () => {
    const body = { databaseId, name: "app" };
    const store = await restartDuring("grant", () => api.ok("connections.create", { body }));
    expect(store.connections.list({ databaseId }).map(({ name }) => name)).toEqual(["default", "app"]);
    expect(store.databases.get(databaseId)?.changes).toBeUndefined();
  });

  it("completes a rotation with the password that it set", async () => {
    const store = await restartDuring("grant", () =>
      api.ok("connections.rotate", { path: { id: connectionId } }),
    );
    expect(store.connections.get(connectionId)?.pass).toBe(
      api.databases.passwords(databaseId)?.[connectionId],
    );
  });

  /**
   * Starts a server on which the change of a request is interrupted. Its job is taken over only after a second.
   */
  const interrupt = async (work: "grant" | "revoke", request: () => Promise<unknown>) => {
    const { begun, release } = api.databases.hold(work);
    const interrupted = request();
    await begun;
    const snapshot = await api.engine.snapshot();
    release();
    await interrupted;
    const dueAt = (await api.engine.clock.now()) + 1_000;
    const jobs = snapshot.jobs.map((job) => ({ ...job, dueAt }));
    return openWith({ ...snapshot, jobs });
  };

  const rotateDefault = () => api.ok("connections.rotate", { path: { id: connectionId } });

  const rotateOn = async (engine: EngineUnderTest, id: string) => {
    const { status } = await engine.handle({
      method: "POST",
      path: `/v1/connections/${id}/rotate`,
      headers: { authorization: `Bearer ${await engine.tokens.user()}` },
    });
    expect(status).toBe(200);
  };

  it("does not complete a rotation after a later one was answered", async () => {
    const restarted = await interrupt("grant", rotateDefault);
    await rotateOn(restarted, connectionId);
    const answered = (await restarted.readStore()).connections.get(connectionId)?.pass;
    await restarted.clock.advance(1_000);
    expect((await restarted.readStore()).connections.get(connectionId)?.pass).toBe(answered);
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(answered);
    expect((await restarted.readStore()).databases.get(databaseId)?.changes).toBeUndefined();
  });

  it("does not complete a rotation that starts again while a later one is made", async () => {
    const restarted = await interrupt("grant", rotateDefault);
    const { begun, release } = api.databases.hold("grant");
    const rotated = rotateOn(restarted, connectionId);
    await begun;
    // Runs the jobs of the database now.
    const repeated = restarted.states.setDatabaseStatus(databaseId, "ready");
    release();
    await Promise.all([rotated, repeated]);
    const { changes } = (await restarted.readStore()).databases.get(databaseId) ?? {};
    expect(changes).toBeUndefined();
    expect((await restarted.readStore()).connections.get(connectionId)?.pass).toBe(
      api.databases.passwords(databaseId)?.[connectionId],
    );
  });

  it("completes the deletion of a connection although a later rotation of it was answered", async () => {
    const restarted = await interrupt("revoke", () =>
      api.ok("connections.delete", { path: { id: connectionId } }),
    );
    // The first server deleted the login after the snapshot was taken.
    api.databases.change(databaseId, connectionId, "before");
    await rotateOn(restarted, connectionId);
    await restarted.clock.advance(1_000);
    expect((await restarted.readStore()).connections.get(connectionId)).toBeUndefined();
    expect(api.databases.passwords(databaseId)).toEqual({});
  });

  it("completes a rotation after one of another connection was answered", async () => {
    const { data: other } = await api.ok("connections.create", { body: { databaseId, name: "app" } });
    const restarted = await interrupt("grant", rotateDefault);
    await rotateOn(restarted, other.id);
    await restarted.clock.advance(1_000);
    for (const id of [connectionId, other.id]) {
      expect((await restarted.readStore()).connections.get(id)?.pass).toBe(
        api.databases.passwords(databaseId)?.[id],
      );
    }
  });

  it("completes two rotations of a connection in the order of their requests", async () => {
    const { begun, release } = api.databases.hold("grant");
    const interrupted = [rotateDefault()];
    await begun;
    interrupted.push(rotateDefault());
    await vi.waitFor(async () =>
      expect((await api.store()).databases.get(databaseId)?.changes).toHaveLength(2),
    );
    const snapshot = await api.engine.snapshot();
    release();
    await Promise.all(interrupted);
    const last = (await api.store()).connections.get(connectionId)?.pass;
    const restarted = await openWith(snapshot);
    await restarted.clock.advance(0);
    expect((await restarted.readStore()).connections.get(connectionId)?.pass).toBe(last);
    expect(api.databases.passwords(databaseId)?.[connectionId]).toBe(last);
    expect((await restarted.readStore()).databases.get(databaseId)?.changes).toBeUndefined();
  });

  it("completes the deletion of a connection", async () => {
    const store = await restartDuring("revoke", () =>
      api.ok("connections.delete", { path: { id: connectionId } }),
    );
    expect(store.connections.get(connectionId)).toBeUndefined();
  });

  it("completes the deletion of a database", async () => {
    const store = await restartDuring("drop", () => api.ok("databases.delete", { path: { databaseId } }));
    expect(store.databases.get(databaseId)).toBeUndefined();
    expect(store.connections.list({ databaseId })).toEqual([]);
  });

  it("completes the deletion of a project with its default database", async () => {
    const { project } = await api.project();
    const store = await restartDuring("drop", () => api.ok("projects.delete", { path: { id: project.id } }));
    expect(store.projects.get(project.id)).toBeUndefined();
  });
});

describe("a deletion that the database server refuses", () => {
  it("leaves a database to be created", async () => {
    const { project } = await api.project();
    const { id } = await api.database(project.id, {}, { provisioning: true });
    const working = api.databases.fail("drop");
    expect((await api.send("databases.delete", { path: { databaseId: id } })).status).toBe(500);
    working();
    await api.later();
    expect((await api.store()).databases.get(id)).toMatchObject({ status: "ready", made: true });
  });

  it("leaves a database to be restored", async () => {
    api.databases.write(databaseId, "before");
    const { id: backupId } = await api.engine.states.backUp(databaseId);
    api.databases.write(databaseId, "after");
    const body = { source: { type: "backup", databaseId, backupId } };
    await api.ok("databases.restore", { path: { targetDatabaseId: databaseId }, body });
    const working = api.databases.fail("drop");
    expect((await api.send("databases.delete", { path: { databaseId } })).status).toBe(500);
    working();
    await api.later();
    expect((await api.store()).databases.get(databaseId)?.status).toBe("ready");
    expect(api.databases.read(databaseId)).toBe("before");
  });
});

it("stores a change before it works on the real database", async () => {
  const saved: number[] = [];
  let id = "";
  const engine: MemoryServer = new MemoryServer({
    deterministic: "changes",
    databaseEngine: api.databases,
    afterMutation: () => void saved.push(engine.rows.databases.get(id)?.changes?.length ?? 0),
  });
  const { database } = await engine.seed.project();
  id = database?.id ?? "";
  saved.length = 0;
  const authorization = `Bearer ${await engine.tokens.user()}`;
  const path = `/v1/connections/${database?.defaultConnectionId ?? ""}/rotate`;
  const { status } = await engine.handle({ method: "POST", path, headers: { authorization } });
  expect([status, ...saved]).toEqual([200, 1, 0]);
});
