import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Approval,
  type ApprovalStatus,
  ConnectionError,
  InternalUnavailableError,
  RateLimitExceededError,
  type WaitOptions,
  WaitTimeoutError,
} from "@mgmt/sdk";
import { approvalGrantedGoal } from "./goals.js";
import { type Poll, waitFor } from "./wait-for.js";
import type { WaitContext } from "../request/context.js";
import { thrown } from "../../test/server.js";

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

/** As of a client without options. */
const waitContext: WaitContext = { timers: globalThis, signals: [] };

const lost = (): ConnectionError => new ConnectionError({ method: "GET", url: "https://x.test" }, "was lost");

/**
 * Starts a wait and records the time of each poll, in milliseconds. `see` returns the status or the error of
 * each poll.
 */
const startWait = (
  see: (poll: number) => ApprovalStatus | Error,
  options: WaitOptions<Approval> = {},
): { times: number[]; end: Promise<Approval> } => {
  const times: number[] = [];
  const start = performance.now();
  const poll: Poll<Approval> = async () => {
    times.push(Math.round(performance.now() - start));
    const seen = see(times.length);
    if (seen instanceof Error) throw seen;
    return approval(seen);
  };
  return { times, end: waitFor({ goal: approvalGrantedGoal, id: "apr_1", poll }, options, waitContext) };
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

describe("waitFor", () => {
  it("polls at once, then after pauses that grow to five seconds", async () => {
    const { times, end } = startWait((poll) => (poll < 15 ? "pending" : "approved"));
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(pauses).toEqual([
      0, 200, 300, 450, 675, 1012, 1518, 2278, 3417, 5000, 5000, 5000, 5000, 5000, 5000,
    ]);
  });

  it("draws each pause at random between zero and its bound", async () => {
    const draws = [0.5, 0.1, 0.1];
    vi.mocked(Math.random).mockImplementation(() => draws.shift() ?? 0);
    const { times, end } = startWait((poll) => (poll < 4 ? "pending" : "approved"));
    await vi.advanceTimersByTimeAsync(10_000);
    await end;
    expect(times).toEqual([0, 100, 130, 175]);
  });

  it("ends at its deadline during a pause", async () => {
    const { times, end } = startWait(() => "pending", { timeoutMs: 2_000 });
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await error).toMatchObject({ code: "wait:timeout", timeoutMs: 2_000, lastStatus: "pending" });
    expect(times.at(-1)).toBeLessThan(2_000);
  });

  it("ends at its deadline during a poll, and aborts the poll", async () => {
    let pollSignal: AbortSignal | undefined;
    const poll: Poll<Approval> = ({ signal }) => {
      pollSignal = signal;
      return new Promise(() => undefined);
    };
    const error = thrown(
      waitFor({ goal: approvalGrantedGoal, id: "apr_1", poll }, { timeoutMs: 70_000 }, waitContext),
    );
    await vi.advanceTimersByTimeAsync(70_000);
    expect(await error).toBeInstanceOf(WaitTimeoutError);
    expect(pollSignal?.reason).toStrictEqual(await error);
  });

  it("does not wait for an onProgress that never ends", async () => {
    const { times, end } = startWait((poll) => (poll === 2 ? "approved" : "pending"), {
      onProgress: () => new Promise(() => undefined),
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(await end).toEqual(approval("approved"));
    expect(times).toEqual([0, 200]);
  });

  it("waits twenty minutes for an approval by default", async () => {
    const { end } = startWait(() => "pending");
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(await error).toMatchObject({ timeoutMs: 1_200_000 });
  });

  it("sets no deadline for Infinity, and reports it as remainingMs", async () => {
    const left: number[] = [];
    const { end } = startWait((poll) => (poll < 800 ? "pending" : "approved"), {
      timeoutMs: Number.POSITIVE_INFINITY,
      onProgress: (_, { remainingMs }) => void left.push(remainingMs),
    });
    await vi.advanceTimersByTimeAsync(3_600_000 + 400_000);
    expect(await end).toEqual(approval("approved"));
    expect(new Set(left)).toEqual(new Set([Number.POSITIVE_INFINITY]));
  });

  it("waits for Retry-After within its deadline", async () => {
    const { times, end } = startWait((poll) => [rateLimited(7), unavailable(3)][poll - 1] ?? "approved");
    await vi.advanceTimersByTimeAsync(60_000);
    await end;
    expect(times).toEqual([0, 7_000, 10_000]);

    const late = startWait(() => unavailable(30), { timeoutMs: 5_000 });
    const error = thrown(late.end);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await error).toMatchObject({ code: "wait:timeout", cause: { retryAfter: 30 } });
    expect(late.times).toEqual([0]);
  });

  it("throws at once when Retry-After is longer than a minute", async () => {
    const error = rateLimited(61);
    const { times, end } = startWait(() => error);
    expect(await thrown(end)).toBe(error);
    expect(times).toEqual([0]);
  });

  it("tolerates a run of failures for a minute, then throws the last one", async () => {
    const { times, end } = startWait((poll) => (poll === 1 ? "pending" : lost()));
    const error = thrown(end);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(await error).toBeInstanceOf(ConnectionError);
    expect(times.at(-1)).toBeGreaterThan(55_000);
    expect(times.at(-1)).toBeLessThanOrEqual(61_000);
  });

  it("resets the run of failures when a poll succeeds", async () => {
    const { end } = startWait((poll) =>
      poll === 100 ? "approved" : poll % 5 === 0 ? "pending" : unavailable(),
    );
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await end).toEqual(approval("approved"));
  });

  it("throws the caller's reason when aborted before the wait, in a poll and in a pause", async () => {
    const reason = new Error("The user left.");
    const hanging: Poll<Approval> = () => new Promise(() => undefined);
    const starts: ((controller: AbortController) => Promise<unknown>)[] = [
      (controller) => {
        controller.abort(reason);
        return startWait(() => "pending", { signal: controller.signal }).end;
      },
      ({ signal }) =>
        waitFor({ goal: approvalGrantedGoal, id: "apr_1", poll: hanging }, { signal }, waitContext),
      ({ signal }) => startWait(() => "pending", { signal }).end,
      ({ signal }) => startWait(() => unavailable(50), { signal }).end,
    ];
    for (const start of starts) {
      const controller = new AbortController();
      const end = thrown(start(controller));
      await vi.advanceTimersByTimeAsync(150);
      controller.abort(reason);
      expect(await end).toBe(reason);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("throws the caller's reason even when it is a transient error", async () => {
    const controller = new AbortController();
    const reason = lost();
    const { end } = startWait(
      () => {
        controller.abort(reason);
        return lost();
      },
      { signal: controller.signal },
    );
    expect(await thrown(end)).toBe(reason);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("no"))],
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
    [
      "returns what cannot be awaited",
      () => ({
        get then(): never {
          throw new Error("no");
        },
      }),
    ],
  ])("goes on when onProgress %s, which is printed once", async (_, onProgress) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { times, end } = startWait((poll) => (poll === 3 ? "approved" : "pending"), { onProgress });
    await vi.advanceTimersByTimeAsync(500);
    expect(await end).toEqual(approval("approved"));
    expect(times).toEqual([0, 200, 500]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining("onProgress"), new Error("no")]]);
  });
});
