import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryServer, type Snapshot } from "@mgmt/engine";
import { type Face, openMock } from "../../../mock/test/faces.js";
import { makeFixture } from "../../test/request/valid-requests.js";

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
    expect(engine.rows.projects.getSequence(next.id)).toBe(2);
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

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a string", "snapshot"],
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
