import { DatabaseUnavailableError } from "@mgmt/engine";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { retryWhileUnavailable } from "./retry-unavailable.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const running = { exited: new Promise<never>(() => undefined) };
const unavailable = new DatabaseUnavailableError("not now");
const fullDisk = new DatabaseUnavailableError("not now", {
  cause: Object.assign(new Error("full"), { code: "ENOSPC" }),
});

describe("retryWhileUnavailable", () => {
  it("does the work again until Postgres is available", async () => {
    const work = vi.fn(() => Promise.resolve("done"));
    work.mockRejectedValueOnce(unavailable).mockRejectedValueOnce(unavailable);
    const result = retryWhileUnavailable(running, work);
    await vi.runAllTimersAsync();
    expect(await result).toBe("done");
    expect(work).toHaveBeenCalledTimes(3);
  });

  it.each([
    ["another error", new Error("other")],
    ["a full disk", fullDisk],
  ])("does the work once after %s", async (_, error) => {
    const work = vi.fn(() => Promise.reject(error));
    await expect(retryWhileUnavailable(running, work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledOnce();
  });

  it.each([
    ["has ended", { exited: Promise.resolve(new Error("ended")) }, 2],
    ["stays unavailable for a minute", running, 3],
  ])("gives up when Postgres %s", async (_, supervisor, mostCalls) => {
    const work = vi.fn(() => {
      vi.advanceTimersByTime(31_000);
      return Promise.reject(unavailable);
    });
    const result = expect(retryWhileUnavailable(supervisor, work)).rejects.toMatchObject({
      code: "platform:postgres_failed",
    });
    await vi.runAllTimersAsync();
    await result;
    expect(work.mock.calls.length).toBeLessThanOrEqual(mostCalls);
  });
});
