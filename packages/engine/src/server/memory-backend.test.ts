import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createMemoryDatabaseEngine } from "../context/memory-database-engine.js";
import { MemoryServer } from "./memory-server.js";
import { type Face, openMock } from "../../../mock/test/faces.js";

describe("snapshots and reset", () => {
  let face: Face;
  beforeAll(async () => {
    face = await openMock();
  });
  beforeEach(() => face.engine.reset());
  afterAll(() => face.close());

  it("finish work in progress in the old state", async () => {
    const { engine } = face;
    const token = await engine.tokens.user();
    const path = `/v1/workspaces/${engine.defaults.workspace.id}/service-tokens`;
    const creating = face.send("POST", path, { token, body: { name: "late" } });
    engine.faults.add({ operation: "projects.create", latency: 20 });
    const waiting = face.send("POST", "/v1/projects", { token, body: {} });
    await new Promise((resolve) => setImmediate(resolve));
    await engine.reset();
    const first = engine.snapshot();
    await Promise.all([creating, waiting]);
    expect(engine.snapshot()).toEqual(first);
    expect(engine.requests).toEqual([]);
  });
});

describe("a state that is replaced", () => {
  const open = () => {
    const names = { create: [] as string[], drop: [] as string[], dropBackup: [] as string[] };
    const note = (work: keyof typeof names) => async (id: string) => void names[work].push(id);
    const databaseEngine = {
      ...createMemoryDatabaseEngine("mgmt.test"),
      ...{ create: note("create"), drop: note("drop"), dropBackup: note("dropBackup") },
    };
    return { names, server: new MemoryServer({ databaseEngine }) };
  };

  it("takes the databases and backups with it that the new one does not have", async () => {
    const { names, server } = open();
    const databaseId = (await server.seed.project()).database?.id ?? "";
    const backup = await server.seed.backup(databaseId);
    const snapshot = server.snapshot();
    const removed = (await server.seed.project()).database?.id ?? "";
    const removedBackups = [await server.seed.backup(removed), await server.seed.backup(databaseId)];
    await server.load(snapshot);
    expect(names).toMatchObject({ drop: [removed], dropBackup: removedBackups.map(({ id }) => id) });
    await server.reset();
    expect(names).toMatchObject({ drop: [removed, databaseId] });
    expect(names.dropBackup).toHaveLength(3);
    expect(names.dropBackup.at(-1)).toBe(backup.id);
  });

  it("starts none of its work any more", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { names, server } = open();
    server.start();
    const headers = { authorization: `Bearer ${await server.tokens.user()}` };
    const create = () => server.handle({ method: "POST", path: "/v1/projects", headers });
    await create();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names.create).toHaveLength(1);
    await create();
    await server.load(server.snapshot());
    await server.reset();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names.create).toHaveLength(1);
    await server.stop();
  });
});
