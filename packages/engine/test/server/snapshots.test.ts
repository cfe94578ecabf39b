import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryServer, type Snapshot } from "@mgmt/engine";
import { type Face, openMock } from "../../../mock/test/faces.js";
import { makeFixture } from "../request/valid-requests.js";

describe("snapshots and reset", () => {
  let face: Face;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  /** Returns the snapshot as read back from a file. */
  const throughJson = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

  it("restore everything from plain JSON, in another server too", async () => {
    const { engine } = face;
    await makeFixture(engine, engine.defaults.workspace.id);
    const snapshot = throughJson(engine.snapshot());
    const other = new MemoryServer({ snapshot });
    expect(other.snapshot()).toEqual(snapshot);
    await engine.reset();
    expect(engine.snapshot()).not.toEqual(snapshot);
    await engine.load(snapshot);
    expect(engine.snapshot()).toEqual(snapshot);
  });

  it("are independent of the server's later changes, and the server of theirs", async () => {
    const { engine } = face;
    const snapshot = engine.snapshot();
    await engine.seed.project();
    expect(snapshot.store.projects.rows).toEqual([]);
    const loaded = engine.snapshot();
    await engine.load(loaded);
    loaded.store.projects.rows.length = 0;
    expect(engine.rows.projects.size).toBe(1);
  });

  it("restore keys: a token survives a restart", async () => {
    const { engine } = face;
    const authorization = `Bearer ${await engine.tokens.user()}`;
    const { baseUrl, authUrl } = engine.settings;
    const restarted = new MemoryServer({
      snapshot: throughJson(engine.snapshot()),
      settings: { baseUrl, authUrl },
    });
    const answer = await restarted.handle({ method: "GET", path: "/v1/me", headers: { authorization } });
    expect(answer.status).toBe(200);
  });

  it("restore pending jobs: a database that was provisioning becomes ready after a restart", async () => {
    const { engine } = face;
    const token = await engine.tokens.user();
    await face.send("POST", "/v1/projects", { token, body: {} });
    const restarted = new MemoryServer({ snapshot: throughJson(engine.snapshot()) });
    const status = () => restarted.rows.databases.find({})?.status;
    expect(status()).toBe("provisioning");
    await restarted.clock.advance(10_000);
    expect(status()).toBe("ready");
  });

  it("restore the clock and a seeded generator where they stopped", async () => {
    const { engine } = face;
    await engine.clock.advance(12_345);
    await engine.seed.project();
    const snapshot = engine.snapshot();
    const { id } = await engine.seed.project();
    const other = new MemoryServer({ snapshot });
    expect(other.clock.now()).toBe(snapshot.store.projects.rows[0]?.[1].createdAt);
    expect((await other.seed.project()).id).toBe(id);
  });

  it("never reuse insertion numbers", async () => {
    const { engine } = face;
    const { id } = await engine.seed.project({ createDatabase: false });
    const token = await engine.tokens.user();
    await face.send("DELETE", `/v1/projects/${id}`, { token });
    await engine.load(engine.snapshot());
    const next = await engine.seed.project();
    expect(engine.rows.projects.sequence(next.id)).toBe(2);
  });

  it("return to the first state, clock and rate limit on a reset, without faults and log entries", async () => {
    const { engine } = face;
    const first = engine.snapshot();
    await engine.seed.project();
    await engine.clock.advance(1_000);
    engine.clock.run();
    engine.faults.add({ status: 500 });
    engine.setRateLimit({ requests: 0, window: 1 });
    await face.send("GET", "/v1/projects");
    await engine.reset();
    expect(engine.snapshot()).toEqual(first);
    expect([engine.faults.list(), engine.requests, engine.clock.frozen]).toEqual([[], [], true]);
    expect((await face.send("GET", "/v1/apps", { token: await engine.tokens.user() })).status).toBe(200);
  });

  it("repeat the same content in two seeded servers, but not in two others", async () => {
    const make = async (deterministic?: string) => {
      const engine = new MemoryServer(deterministic === undefined ? {} : { deterministic });
      return JSON.stringify(await engine.seed.project());
    };
    expect(await make("same")).toBe(await make("same"));
    expect(await make("same")).not.toBe(await make("different"));
    expect(await make()).not.toBe(await make());
  });

  it("finish work in progress in the old state", async () => {
    const { engine } = face;
    const token = await engine.tokens.user();
    const path = `/v1/workspaces/${engine.defaults.workspace.id}/service-tokens`;
    const creating = face.send("POST", path, { token, body: { name: "late" } });
    engine.faults.add({ operation: "projects.create", latency: 20 });
    const waiting = face.send("POST", "/v1/projects", { token, body: {} });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await engine.reset();
    const first = engine.snapshot();
    await Promise.all([creating, waiting]);
    expect(engine.snapshot()).toEqual(first);
    expect(engine.requests).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "snapshot"],
    ["another version", { version: 3 }],
    ["no store", { version: 1, clock: {}, signingKeys: [], jobs: [], cursorKey: "" }],
    ["no keys", { version: 1, clock: {}, store: {}, jobs: [], cursorKey: "" }],
  ])("refuses %s as a snapshot, and stays as it is", (_name, value) => {
    const { engine } = face;
    const before = engine.snapshot();
    // Any JSON, as a control request or a file may contain.
    expect(() => engine.load(value as Snapshot)).toThrow(/snapshot/i);
    expect(engine.snapshot()).toEqual(before);
  });
});

describe("stored state", () => {
  it("waits until a change is stored before it responds, and does not for reads", async () => {
    const kept: string[] = [];
    const engine: MemoryServer = new MemoryServer({
      deterministic: "kept",
      afterMutation: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        kept.push(String(engine.rows.projects.size));
      },
    });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    expect(kept).toEqual(["1"]);
    const read = engine.handle({ method: "GET", path: "/v1/projects", headers: { authorization } });
    expect(read).not.toBeInstanceOf(Promise);
    await engine.handle({ method: "DELETE", path: "/v1/projects/proj_none", headers: { authorization } });
    expect(kept).toEqual(["1"]);
  });

  it("stores what jobs, seeds and decisions change", async () => {
    let kept = 0;
    const engine = new MemoryServer({ deterministic: "kept", afterMutation: () => void (kept += 1) });
    const count = async (change: () => Promise<unknown>) => {
      const before = kept;
      await change();
      return kept > before;
    };
    const authorization = `Bearer ${await engine.tokens.user()}`;
    await engine.handle({ method: "POST", path: "/v1/projects", headers: { authorization } });
    expect(await count(() => engine.clock.advance(10_000))).toBe(true);
    expect(await count(() => engine.seed.user())).toBe(true);
    const { id } = await engine.seed.project();
    const agent = `Bearer ${await engine.tokens.agent()}`;
    const ask = async () =>
      engine.handle({ method: "DELETE", path: `/v1/projects/${id}`, headers: { authorization: agent } });
    expect(await count(ask)).toBe(true);
    expect(await count(() => engine.approvals.approve(engine.approvals.list()[0]?.id ?? ""))).toBe(true);
  });

  it("returns 500 when a change could not be stored, and reports the reason to the operator only", async () => {
    const defects: unknown[] = [];
    const engine = new MemoryServer({
      deterministic: "kept",
      afterMutation: () => Promise.reject(new Error("disk full")),
      onDefect: (error) => defects.push(error),
    });
    const authorization = `Bearer ${await engine.tokens.user()}`;
    const { status, body } = await engine.handle({
      method: "POST",
      path: "/v1/projects",
      headers: { authorization },
    });
    expect([status, body?.includes("disk full")]).toEqual([500, false]);
    expect(defects.map(String)).toContain("Error: disk full");
  });
});
