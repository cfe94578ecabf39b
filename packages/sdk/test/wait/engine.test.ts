import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Approval,
  type ApprovalStatus,
  ConnectionError,
  InternalUnavailableError,
  RateLimitExceededError,
  WaitTimeoutError,
} from "@mgmt/sdk";
import { approvalGiven } from "../../src/wait/goals.js";
import { type Look, waitFor } from "../../src/wait/wait-for.js";
import type { WaitOptions } from "../../src/wait/wait-options.js";
import { thrown } from "../server.js";

const approval = (status: ApprovalStatus): Approval => ({
  id: "apr_1",
  status,
  expiresAt: "2026-01-01T00:15:00.000Z",
  windowExpiresAt: null,
  decidedAt: null,
});

const unavailable = (retryAfter?: number): InternalUnavailableError =>
  new InternalUnavailableError({
    status: 503,
    code: "internal:unavailable",
    message: "m",
    method: "GET",
    path: "/",
    details: {},
    retryAfter,
  });

const rateLimited = (retryAfter: number): RateLimitExceededError =>
  new RateLimitExceededError({
    status: 429,
    code: "rate_limit:exceeded",
    message: "m",
    method: "GET",
    path: "/",
    details: {},
    retryAfter,
  });

const lost = (): ConnectionError => new ConnectionError({ method: "GET", url: "http://x.test" }, "was lost");

/** Times of the looks, in milliseconds since the wait began; each look sees or fails as `see` says. */
const watch = (
  see: (look: number) => ApprovalStatus | Error,
  options: WaitOptions<Approval> = {},
): { times: number[]; end: Promise<Approval> } => {
  const times: number[] = [];
  const start = performance.now();
  const look: Look<Approval> = async () => {
    times.push(Math.round(performance.now() - start));
    const seen = see(times.length);
    if (seen instanceof Error) throw seen;
    return approval(seen);
  };
  return { times, end: waitFor({ goal: approvalGiven, id: "apr_1", look }, options) };
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the engine of all waits", () => {
  it("looks at once, then after pauses that grow to five seconds", async () => {
    const { times, end } = watch((look) => (look < 15 ? "pending" : "approved"));
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(pauses).toEqual([
      0, 200, 300, 450, 675, 1012, 1518, 2278, 3417, 5000, 5000, 5000, 5000, 5000, 5000,
    ]);
  });

  it("draws each pause from zero to its bound, so that many who wait do not look all at once", async () => {
    const draws = [0.5, 0.1, 0.1];
    vi.mocked(Math.random).mockImplementation(() => draws.shift() ?? 0);
    const { times, end } = watch((look) => (look < 4 ? "pending" : "approved"));
    await vi.advanceTimersByTimeAsync(10_000);
    await end;
    expect(times).toEqual([0, 100, 130, 175]);
  });

  it("ends at its deadline, in the middle of a pause", async () => {
    const { times, end } = watch(() => "pending", { timeoutMs: 2_000 });
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await error).toMatchObject({ code: "wait:timeout", timeoutMs: 2_000, lastStatus: "pending" });
    expect(times.at(-1)).toBeLessThan(2_000);
  });

  it("ends at its deadline in the middle of a look, and tells the look", async () => {
    let told: AbortSignal | undefined;
    const look: Look<Approval> = ({ signal }) => {
      told = signal;
      return new Promise(() => undefined);
    };
    const error = thrown(waitFor({ goal: approvalGiven, id: "apr_1", look }, { timeoutMs: 70_000 }));
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await error).toBeInstanceOf(WaitTimeoutError);
    expect(told?.reason).toStrictEqual(await error);
  });

  it("ends at its deadline while the caller is being told, and looks no more", async () => {
    const { times, end } = watch(() => "pending", {
      timeoutMs: 1_000,
      onProgress: () => new Promise((resolve) => setTimeout(resolve, 3_000)),
    });
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await error).toBeInstanceOf(WaitTimeoutError);
    expect(times).toEqual([0]);
  });

  it("has twenty minutes for an approval: left alone, that ends by expiring first", async () => {
    const { end } = watch(() => "pending");
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(await error).toMatchObject({ timeoutMs: 1_200_000 });
  });

  it("has no deadline when that is Infinity, and says so", async () => {
    const left: number[] = [];
    const { end } = watch((look) => (look < 800 ? "pending" : "approved"), {
      timeoutMs: Number.POSITIVE_INFINITY,
      onProgress: (_, { remainingMs }) => void left.push(remainingMs),
    });
    await vi.advanceTimersByTimeAsync(3_600_000 + 400_000);
    expect(await end).toEqual(approval("approved"));
    expect(new Set(left)).toEqual(new Set([Number.POSITIVE_INFINITY]));
  });

  it("waits as long as Retry-After says, within its deadline", async () => {
    const { times, end } = watch((look) => [rateLimited(7), unavailable(3)][look - 1] ?? "approved");
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    expect(times).toEqual([0, 7_000, 10_000]);

    const late = watch(() => unavailable(30), { timeoutMs: 5_000 });
    const error = thrown(late.end);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await error).toMatchObject({ code: "wait:timeout", cause: { retryAfter: 30 } });
    expect(late.times).toEqual([0]);
  });

  it("throws rather than sit and wait when Retry-After is more than a minute (peers wait 90 seconds)", async () => {
    const error = rateLimited(61);
    const { times, end } = watch(() => error);
    expect(await thrown(end)).toBe(error);
    expect(times).toEqual([0]);
  });

  it("looks past failures for a minute in a row, then throws the last", async () => {
    const { times, end } = watch((look) => (look === 1 ? "pending" : lost()));
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(await error).toBeInstanceOf(ConnectionError);
    expect(times.at(-1)).toBeGreaterThan(55_000);
    expect(times.at(-1)).toBeLessThanOrEqual(61_000);
  });

  it("forgets failures once a look succeeds", async () => {
    const { end } = watch((look) => (look === 100 ? "approved" : look % 5 === 0 ? "pending" : unavailable()));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await end).toEqual(approval("approved"));
  });

  it("ends at any moment with the caller's reason: before, in a look, when told, in a pause", async () => {
    const reason = new Error("The user left.");
    const silent: Look<Approval> = () => new Promise(() => undefined);
    const moments: ((controller: AbortController) => Promise<unknown>)[] = [
      (controller) => {
        controller.abort(reason);
        return watch(() => "pending", { signal: controller.signal }).end;
      },
      ({ signal }) => waitFor({ goal: approvalGiven, id: "apr_1", look: silent }, { signal }),
      ({ signal }) => watch(() => "pending", { signal, onProgress: () => new Promise(() => undefined) }).end,
      ({ signal }) => watch(() => "pending", { signal }).end,
      ({ signal }) => watch(() => unavailable(50), { signal }).end,
    ];
    for (const begin of moments) {
      const controller = new AbortController();
      const end = thrown(begin(controller));
      await vi.advanceTimersByTimeAsync(150);
      controller.abort(reason);
      expect(await end).toBe(reason);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("throws the reason also where that looks like a failure that may pass", async () => {
    const controller = new AbortController();
    const reason = lost();
    const { end } = watch(
      () => {
        controller.abort(reason);
        return lost();
      },
      { signal: controller.signal },
    );
    expect(await thrown(end)).toBe(reason);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no"))],
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
  ])("ends with what onProgress %s", async (_, onProgress) => {
    const { times, end } = watch(() => "pending", { onProgress });
    expect(await thrown(end)).toMatchObject({ message: "no" });
    expect(times).toEqual([0]);
  });
});
