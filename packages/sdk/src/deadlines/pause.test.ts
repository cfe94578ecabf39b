import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { longestDelayMs } from "./deadline.js";
import { pause } from "./pause.js";

describe("a pause", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Starts a pause, and records how it ends. */
  const start = (ms: number) => {
    const controller = new AbortController();
    const ends: unknown[] = [];
    void pause(ms, controller.signal).then(
      () => ends.push("over"),
      (reason: unknown) => ends.push(reason),
    );
    const listeners = () => getEventListeners(controller.signal, "abort").length;
    return { controller, ends, listeners };
  };

  it.each([0, 1, 5_000, longestDelayMs, longestDelayMs + 1, 2 * longestDelayMs, 2 * longestDelayMs + 500])(
    "lasts %s ms",
    async (ms) => {
      const { ends, listeners } = start(ms);
      await vi.advanceTimersByTimeAsync(Math.max(0, ms - 1));
      if (ms > 0) expect(ends).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(ends).toEqual(["over"]);
      expect([listeners(), vi.getTimerCount()]).toEqual([0, 0]);
    },
  );

  it.each([5_000, 3 * longestDelayMs])("of %s ms ends at once with the reason of its signal", async (ms) => {
    const { controller, ends, listeners } = start(ms);
    await vi.advanceTimersByTimeAsync(4_999);
    controller.abort("reason");
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toEqual(["reason"]);
    expect([listeners(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("does not start when its signal is aborted", async () => {
    const signal = AbortSignal.abort("reason");
    await expect(pause(5_000, signal)).rejects.toBe("reason");
    expect([getEventListeners(signal, "abort").length, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
