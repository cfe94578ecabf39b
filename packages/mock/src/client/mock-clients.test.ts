import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Mock, setupMock } from "@mgmt/mock";
import { TimeoutError, WaitTimeoutError, createClient } from "@mgmt/sdk";
import { busyMock, minute, signUp } from "../../test/client/sign-up.js";

afterEach(() => vi.useRealTimers());

/** The delays of the real timers that were started in a context. Intervals do not count: nothing waits for them. */
const timersIn = new AsyncLocalStorage<number[]>();
const watch = createHook({
  init: (_, type, __, resource) => {
    if (type !== "Timeout" || !("_idleTimeout" in resource && "_repeat" in resource)) return;
    if (resource._repeat === null) timersIn.getStore()?.push(Number(resource._idleTimeout));
  },
});
beforeAll(() => watch.enable());
afterAll(() => watch.disable());

describe("a client of the mock", () => {
  it.each([
    ["frozen", { deterministic: "shop" }],
    ["running", {}],
  ])("moves a %s clock where another client waits", async (_, options) => {
    const mock = busyMock(options);
    const start = mock.clock.now();
    const { status, polls } = await signUp(mock.client());
    expect(status).toBe("ready");
    expect(polls).toBeGreaterThan(5);
    const creates = mock.requests.filter(({ operationId }) => operationId === "projects.create");
    expect(creates.map((request) => request.status)).toEqual([503, 503, 201]);
    // The two refusals ask for a second each.
    expect(mock.clock.now() - start).toBeGreaterThanOrEqual(minute / 2 + 2_000);
    expect(mock.clock.now() - start).toBeLessThan(minute);
  });

  it("polls as often as it would in real time, in as much time of the clock", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const mock = busyMock({ deterministic: "shop" });
    const start = mock.clock.now();
    const client = mock.client();
    const { database } = await client.projects.create({ name: "shop" });
    expect(mock.clock.now() - start).toBe(2_000);
    let polls = 0;
    const onProgress = () => void (polls += 1);
    await client.databases.waitUntilReady(database?.id ?? "", { pollIntervalMs: 3_000, onProgress });
    expect([polls, mock.requests.length]).toEqual([11, 14]);
    expect(mock.clock.now() - start).toBe(minute / 2 + 2_000);
  });

  it("starts no real timer during a sign-up with two refusals and eleven polls", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const mock = busyMock({ deterministic: "shop" });
    const started: number[] = [];
    await timersIn.run(started, async () => {
      expect(await signUp(mock.client(), { pollIntervalMs: 3_000 })).toEqual({ status: "ready", polls: 11 });
      expect(started).toEqual([]);
      // A timer of any kind would have been seen.
      await sleep(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
    });
    expect(started).toEqual([1, 2]);
  });

  it("moves the clock while no request is in progress only", async () => {
    const moved: number[] = [];
    const mock = setupMock({
      deterministic: "shop",
      settings: { lifecycle: { provisioning: minute / 2 } },
      afterMutation: async () => {
        const before = mock.clock.now();
        for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        moved.push(mock.clock.now() - before);
      },
    });
    const client = mock.client();
    const { database } = await client.projects.create({ name: "shop" });
    let other: Promise<unknown> | undefined;
    await client.databases.waitUntilReady(database?.id ?? "", {
      // The wait pauses while this request is in progress.
      onProgress: () => void (other ??= client.projects.create({ name: "other", createDatabase: false })),
    });
    await other;
    // The two requests, and the job that makes the database ready.
    expect(moved).toEqual([0, 0, 0]);
  });

  it("is what a program creates with the options of the mock", async () => {
    const mock = busyMock({ deterministic: "shop" });
    const client = createClient({ ...mock.clientOptions(), maxRetries: 3 });
    expect(await signUp(client)).toMatchObject({ status: "ready" });
  });

  it.each<[string, Parameters<typeof vi.useFakeTimers>[0]]>([
    ["the default", undefined],
    ["all", { toFake: ["setTimeout", "setInterval", "setImmediate", "Date", "performance"] }],
    ["a clock that advances", { shouldAdvanceTime: true, advanceTimeDelta: 1 }],
    ["only Date", { toFake: ["Date"] }],
    ["only setTimeout", { toFake: ["setTimeout"] }],
    ["only queueMicrotask", { toFake: ["queueMicrotask"] }],
    [
      "queueMicrotask with the others",
      { toFake: ["setTimeout", "setInterval", "setImmediate", "Date", "performance", "queueMicrotask"] },
    ],
  ])("needs no fake timers, and is not affected by them: %s", async (_, config) => {
    vi.useFakeTimers(config);
    const mock = busyMock();
    mock.faults.add({ operation: "databases.get", drop: "midway", times: 1 });
    expect(await signUp(mock.client())).toMatchObject({ status: "ready" });
  });

  it("does not time out when fake timers pass its deadline", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "Date", "performance"] });
    const mock = setupMock();
    const client = mock.client({
      token: async () => {
        await vi.advanceTimersByTimeAsync(10 * minute);
        return mock.tokens.user();
      },
    });
    expect(await client.projects.list().toArray()).toEqual([]);
  });

  it("times out at its deadline by the frozen clock if a response takes longer", async () => {
    const mock = setupMock({ deterministic: "shop" });
    const start = mock.clock.now();
    mock.faults.add({ operation: "projects.list", latency: 5 * minute });
    await expect(mock.client().projects.list()).rejects.toBeInstanceOf(TimeoutError);
    expect(mock.clock.now() - start).toBe(minute);
  });

  it("gives up a wait at its deadline by the frozen clock", async () => {
    const mock = setupMock({ deterministic: "shop", settings: { lifecycle: { provisioning: 30 * minute } } });
    const client = mock.client();
    const { database } = await client.projects.create({ name: "shop" });
    const start = mock.clock.now();
    await expect(client.databases.waitUntilReady(database?.id ?? "")).rejects.toBeInstanceOf(
      WaitTimeoutError,
    );
    expect(mock.clock.now() - start).toBe(10 * minute);
  });

  it("times out when a test moves the clock past the deadline", async () => {
    const mock = setupMock({ deterministic: "shop" });
    const client = mock.client({ token: () => new Promise(() => undefined) });
    const call = client.projects.list().catch((error: unknown) => error);
    await mock.clock.advance(minute - 1);
    await mock.clock.advance(1);
    expect(await call).toBeInstanceOf(TimeoutError);
  });

  it("ends with an error that names the cause when the mock is closed under a wait", async () => {
    const mock = setupMock({ deterministic: "shop" });
    const client = mock.client();
    const { database } = await client.projects.create({ name: "shop" });
    const wait = client.databases.waitUntilReady(database?.id ?? "", { onProgress: () => mock.close() });
    await expect(wait).rejects.toMatchObject({
      code: "connection:failed",
      cause: { code: "mock:closed", message: expect.stringContaining("before you close the mock") },
    });
    expect(mock.store.databases.get(database?.id ?? "")?.status).toBe("provisioning");
  });

  it("belongs to the first user unless it gets another token", async () => {
    const mock = setupMock({ deterministic: "shop" });
    const { workspace, tokens } = await mock.createTenant("other");
    const other = mock.client({ token: () => tokens.user() });
    expect((await other.me.get()).workspace?.id).toBe(workspace.id);
    expect((await mock.client().me.get()).workspace?.id).toBe(mock.defaults.workspace.id);
  });

  describe("without a token of its own", () => {
    const tokenOf = (mock: Mock, rejected?: string) => {
      const { token } = mock.clientOptions();
      if (typeof token !== "function") throw new Error("The options have no token function");
      return token({ signal: new AbortController().signal, timeoutMs: minute, rejected });
    };

    it("sends the same token until half of its lifetime has passed", async () => {
      const mock = setupMock({ deterministic: "shop" });
      const first = await tokenOf(mock);
      await mock.clock.advance(30 * minute - 1);
      expect(await tokenOf(mock)).toBe(first);
      await mock.clock.advance(1);
      expect(await tokenOf(mock)).not.toBe(first);
    });

    it("sends a new token after the state was replaced, the user was changed, or the token was refused", async () => {
      const mock = setupMock({ deterministic: "shop" });
      const seen = [await tokenOf(mock)];
      await mock.reset();
      await mock.clock.advance(1_000);
      seen.push(await tokenOf(mock));
      mock.rows.users.update(mock.defaults.user.id, { email: "new@example.com" });
      seen.push(await tokenOf(mock));
      seen.push(await tokenOf(mock, seen.at(-1)));
      expect(new Set(seen).size).toBe(4);
    });

    it("goes on when its token is revoked", async () => {
      const mock = setupMock({ deterministic: "shop" });
      const client = mock.client();
      await client.me.get();
      const token = await tokenOf(mock);
      const payload = token.split(".")[1] ?? "";
      const { jti, exp }: { jti: string; exp: number } = JSON.parse(
        Buffer.from(payload, "base64url").toString(),
      );
      mock.rows.revokedTokens.insert({ id: jti, createdAt: mock.clock.now(), expiresAt: exp * 1_000 });
      await client.me.get();
      expect(mock.requests.map(({ status }) => status)).toEqual([200, 401, 200]);
    });

    it("fails after its user was deleted", async () => {
      const mock = setupMock({ deterministic: "shop" });
      const client = mock.client();
      await client.me.get();
      mock.rows.users.delete(mock.defaults.user.id);
      await expect(client.me.get()).rejects.toThrow();
    });
  });

  it("refuses an option that does not exist", () => {
    const options: object = { timeout: 5 };
    expect(() => setupMock().client(options)).toThrow("timeout is not an option of a client");
  });
});
