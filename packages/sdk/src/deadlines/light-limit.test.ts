import { describe, expect, it, vi } from "vitest";
import { acceptLightSignals, selectAborterClass, selectTransportSignal } from "./light-limit.js";

const limits = { signals: [], timeoutMs: 1_000, onTimeout: () => new Error("late"), timers: globalThis };
const Aborter = selectAborterClass(AbortController);
const send = async () => Promise.reject(new Error("unused"));
acceptLightSignals(send);

const createLimit = (options: object = { transport: { send } }) => new Aborter({ ...limits, ...options });

describe("the limit of a call", () => {
  it.each<[string, object, boolean]>([
    ["a transport that needs no more", { transport: { send }, middleware: [] }, true],
    ["another transport", { transport: { send: async () => undefined } }, false],
    ["no transport", {}, false],
    ["middleware", { transport: { send }, middleware: [async () => undefined] }, false],
    ["debug output", { transport: { send }, debug: true }, false],
  ])("passes %s a light signal: %s", (_name, options, isLight) => {
    const { signal } = selectTransportSignal(createLimit(options));
    expect(signal instanceof AbortSignal).toBe(!isLight);
  });

  it("tells its one listener, and none that was removed", () => {
    const reason = new Error("stopped");
    for (const isRemoved of [false, true]) {
      const limit = createLimit();
      const { signal } = selectTransportSignal(limit);
      const listener = vi.fn();
      signal.addEventListener("abort", listener);
      if (isRemoved) signal.removeEventListener("abort", listener);
      expect(() => signal.throwIfAborted()).not.toThrow();
      limit.abort(reason);
      expect(listener).toHaveBeenCalledTimes(isRemoved ? 0 : 1);
      expect(() => signal.throwIfAborted()).toThrow(reason);
      expect(signal.reason).toBe(reason);
    }
  });

  it.each([true, false])("aborts the signal of the platform, made before that: %s", (isMadeBefore) => {
    const limit = createLimit();
    const reason = new Error("stopped");
    const listener = vi.fn();
    if (isMadeBefore) limit.signal.addEventListener("abort", listener);
    limit.abort(reason);
    expect([limit.signal.aborted, limit.signal.reason]).toEqual([true, reason]);
    expect(limit.signal).toBe(limit.signal);
    expect(listener).toHaveBeenCalledTimes(isMadeBefore ? 1 : 0);
  });
});
