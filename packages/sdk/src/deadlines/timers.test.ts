import { afterEach, describe, expect, it, vi } from "vitest";
import { TimeoutError, type Timers, WaitTimeoutError, createClient } from "@mgmt/sdk";
import { thrown } from "../../test/server.js";

afterEach(() => vi.restoreAllMocks());

const patience = { interval: 1, timeout: 100_000 };

/** Timers whose time passes only when a test moves them. */
const createTimers = () => {
  const waiting = new Map<object, { at: number; callback: () => void }>();
  let now = 1_000;
  const timers: Timers = {
    setTimeout(callback, ms) {
      const timer = {};
      waiting.set(timer, { at: now + ms, callback });
      return timer;
    },
    clearTimeout: (timer) => void waiting.delete(Object(timer)),
    performance: { now: () => now },
  };
  /** Waits for a timer that is due in less than `limit` milliseconds, and lets the time pass until then. */
  const pass = async (limit: number): Promise<void> => {
    const next = () => [...waiting].find(([, { at }]) => at - now < limit);
    await vi.waitUntil(next, patience);
    const [timer, { at, callback }] = next() ?? [{}, { at: now, callback: () => undefined }];
    waiting.delete(timer);
    now = at;
    callback();
  };
  return { timers, waiting, pass };
};

const database = (status: string) => Response.json({ data: { id: "db_1", status } });

describe("a client with timers of its own", () => {
  const connect = (responses: (() => Response | Promise<Response>)[]) => {
    const { timers, ...control } = createTimers();
    const fetch = vi.fn(async () => (await responses.shift()?.()) ?? new Promise<Response>(() => undefined));
    const client = createClient({ baseUrl: "https://api.test", token: "t", fetch, timers });
    return { client, fetch, ...control };
  };

  it("pauses before a retry by them, and leaves none behind", async () => {
    const { client, fetch, pass, waiting } = connect([
      () => new Response("", { status: 503, headers: { "retry-after": "20" } }),
      () => database("ready"),
    ]);
    const call = client.databases.get("db_1").withResponse();
    await pass(30_000);
    const { response } = await call;
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(response.attempts[1]?.pauseMs).toBeGreaterThanOrEqual(20_000);
    expect(waiting.size).toBe(0);
  });

  it("starts no retry that would begin after the deadline by them", async () => {
    const rejection = () => new Response("", { status: 503, headers: { "retry-after": "20" } });
    const { client, fetch, pass, waiting } = connect([rejection, rejection, rejection]);
    const error = thrown(client.databases.get("db_1", { timeoutMs: 30_000 }));
    await pass(29_000);
    expect(await error).toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(waiting.size).toBe(0);
  });

  it.each([
    ["a call", "get"],
    ["ensure", "ensure"],
  ])("ends %s at the deadline by them", async (_, kind) => {
    const { client, pass, waiting } = connect([]);
    const options = { timeoutMs: 5_000 };
    const error = thrown(
      kind === "get"
        ? client.projects.get("proj_1", options)
        : client.projects.ensure({ name: "shop", logicalId: "shop" }, options),
    );
    await pass(5_001);
    expect(await error).toBeInstanceOf(TimeoutError);
    expect(waiting.size).toBe(0);
  });

  it("polls and gives up by them", async () => {
    const { client, pass, waiting } = connect([
      () => database("provisioning"),
      () => database("provisioning"),
    ]);
    const seen: number[] = [];
    const onProgress = (_: unknown, { elapsedMs }: { elapsedMs: number }) => void seen.push(elapsedMs);
    const error = thrown(client.databases.waitUntilReady("db_1", { timeoutMs: 700, onProgress }));
    await pass(201);
    await vi.waitUntil(() => seen.length === 2, patience);
    await pass(301);
    await pass(701);
    expect(await error).toBeInstanceOf(WaitTimeoutError);
    expect(seen[0]).toBe(0);
    expect(seen[1]).toBeLessThanOrEqual(200);
    expect(waiting.size).toBe(0);
  });
});

it("keeps timers of the platform out of a client that has others", async () => {
  const { timers } = createTimers();
  const platform = vi.spyOn(globalThis, "setTimeout");
  const fetch = () => Promise.resolve(database("ready"));
  const client = createClient({ baseUrl: "https://api.test", token: "t", fetch, timers });
  await client.databases.waitUntilReady("db_1");
  expect(platform).not.toHaveBeenCalled();
});
