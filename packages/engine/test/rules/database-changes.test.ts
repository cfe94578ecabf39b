import { beforeEach, describe, expect, it } from "vitest";
import { ReferenceEngine } from "../../src/composition/reference-engine.js";
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
