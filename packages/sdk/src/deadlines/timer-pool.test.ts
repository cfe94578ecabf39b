import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TimeoutError, type Transport, createClient } from "@mgmt/sdk";
import { thrown } from "../../test/server.js";

const patience = { interval: 1, timeout: 100_000 };

let isSilent: boolean;
let aborted: () => void;
const transport: Transport = {
  send: ({ signal }) => {
    signal.addEventListener("abort", () => aborted());
    if (isSilent) return new Promise(() => undefined);
    return Promise.resolve({ status: 200, headers: {}, body: '{"data":{"id":"x"}}' });
  },
};
const clientWith = (timeoutMs: number) =>
  createClient({ baseUrl: "https://x.test", token: false, transport, timeoutMs });

beforeEach(() => {
  isSilent = false;
  aborted = () => undefined;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a timer that calls reuse", () => {
  it("gives each call its whole timeout", async () => {
    const client = clientWith(60);
    await client.me.get();
    await new Promise((resolve) => setTimeout(resolve, 40));
    isSilent = true;
    const started = performance.now();
    expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
    // Timers may fire a millisecond early.
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
  });

  it("serves calls at the same time, and calls after it has fired", async () => {
    const client = clientWith(30);
    isSilent = true;
    for (let round = 0; round < 2; round += 1) {
      const errors = await Promise.all(Array.from({ length: 5 }, () => thrown(client.me.get())));
      for (const error of errors) expect(error).toBeInstanceOf(TimeoutError);
      isSilent = false;
      expect(await Promise.all(Array.from({ length: 5 }, () => client.me.get()))).toHaveLength(5);
      isSilent = true;
    }
  });

  it("keeps the process alive during each call, and not between them", async () => {
    const started = vi.spyOn(globalThis, "setTimeout");
    // Not all timers of the process: those of other parts end meanwhile.
    const timers = (): number => started.mock.results.filter(({ value }) => value.hasRef()).length;
    const client = clientWith(97_531);
    for (let call = 0; call < 2; call += 1) {
      isSilent = true;
      const controller = new AbortController();
      const pending = thrown(client.me.get({ signal: controller.signal }));
      await new Promise(setImmediate);
      expect(timers()).toBe(1);
      controller.abort();
      await pending;
      expect(timers()).toBe(0);
    }
  });

  it("has no effect when it fires between two calls", async () => {
    const client = clientWith(10);
    await client.me.get();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await client.me.get()).toEqual({ id: "x" });
    isSilent = true;
    expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
  });

  it("serves calls whose timeouts all differ", async () => {
    for (let timeoutMs = 1_000; timeoutMs < 1_020; timeoutMs += 1) await clientWith(timeoutMs).me.get();
    isSilent = true;
    expect(await thrown(clientWith(25).me.get())).toBeInstanceOf(TimeoutError);
  });

  it("does not end a call in the asynchronous context of another", async () => {
    const context = new AsyncLocalStorage<string>();
    const client = clientWith(35);
    await context.run("first", () => client.me.get());
    isSilent = true;
    let seen: unknown = "nothing";
    aborted = () => (seen = context.getStore());
    expect(await context.run("second", () => thrown(client.me.get()))).toBeInstanceOf(TimeoutError);
    expect(seen).not.toBe("first");
  });
});

describe("with fake timers", () => {
  it("leaves none behind, and ends a call when a test lets the time pass", async () => {
    const client = clientWith(5_000);
    await client.me.get();
    vi.useFakeTimers();
    await client.me.get();
    expect(vi.getTimerCount()).toBe(0);
    isSilent = true;
    const error = thrown(client.me.get());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await error).toBeInstanceOf(TimeoutError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([[["clearTimeout"]], [["performance"]], [["Date"]], [["setInterval", "setImmediate"]]] as const)(
    "keeps real deadlines if only %j are fake",
    async (toFake) => {
      const client = clientWith(20);
      await client.me.get();
      vi.useFakeTimers({ toFake: [...toFake] });
      expect(await client.me.get()).toEqual({ id: "x" });
      isSilent = true;
      expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
    },
  );

  it("ends calls that were started before they were installed, and before they were removed", async () => {
    const client = clientWith(15);
    isSilent = true;
    const before = thrown(client.me.get());
    vi.useFakeTimers();
    const meanwhile = thrown(client.me.get());
    await vi.waitUntil(() => vi.getTimerCount() === 1, patience);
    vi.advanceTimersByTime(15);
    expect(await meanwhile).toBeInstanceOf(TimeoutError);
    vi.useRealTimers();
    expect(await before).toBeInstanceOf(TimeoutError);
    expect(await thrown(client.me.get())).toBeInstanceOf(TimeoutError);
  });
});
