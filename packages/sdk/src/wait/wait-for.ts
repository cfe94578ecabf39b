import { observe } from "@mgmt/internal/observers/observe";
import { ApiError } from "../errors/api-error.js";
import { ConnectionError, InvalidArgumentError } from "../errors/local-errors.js";
import { type AwaitedResource, WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import type { RequestOptions } from "../request/call.js";
import { validateTimeout } from "../deadlines/deadline.js";
import { withDeadline } from "../deadlines/with-deadline.js";
import { pause } from "../deadlines/pause.js";
import type { WaitContext } from "../request/context.js";
import type { WaitProgress } from "../request/approval-wait-options.js";
import type { WaitGoal } from "./goals.js";
import type { WaitOptions } from "./wait-options.js";
import { assertOptions } from "#all-type-checks";

/** Pauses have full jitter: they are drawn from zero to a bound that grows from 0.2 to 5 seconds. */
const initialBackoffMs = 200;
const maxBackoffMs = 5_000;
const backoffFactor = 1.5;
/** How long consecutive transient failures of polls are tolerated, and the longest `Retry-After` that is honored. */
const maxFailureMs = 60_000;

/** Reads the resource once. */
export type Poll<T> = (options: RequestOptions) => Promise<T>;

interface WaitTarget<T extends AwaitedResource> {
  goal: WaitGoal<T>;
  id: string;
  poll: Poll<T>;
  /** When the deadline began, by `performance.now()` of the timers. Default: now. */
  startedAt?: number;
  /** Runs before the first poll, within the deadline. */
  onStart?: (progress: WaitProgress) => void;
  /** The error that made the wait necessary. */
  cause?: unknown;
}

/**
 * Polls until the goal is reached, within one deadline. Transient failures of polls (no response, 408, 429, 5xx) are
 * tolerated for a minute; any other failure is thrown unchanged.
 */
export const waitFor = async <T extends AwaitedResource>(
  { goal, id, poll, startedAt, onStart, cause }: WaitTarget<T>,
  options: WaitOptions<T> = {},
  { timers, signals }: WaitContext,
): Promise<T> => {
  assertOptions(options, "a wait", () => InvalidArgumentError);
  const { onProgress, pollIntervalMs, sleep, ...sendOptions } = options;
  const { signal: callerSignal, timeoutMs: callerTimeoutMs, ...requestOptions } = sendOptions;
  if (pollIntervalMs !== undefined) validateTimeout(pollIntervalMs, "pollIntervalMs");
  const timeoutMs = validateTimeout(callerTimeoutMs ?? goal.timeoutMs);
  const start = startedAt ?? timers.performance.now();
  const remainingMs = Math.max(start + timeoutMs - timers.performance.now(), 1);
  const createProgress = (polls: number): WaitProgress => {
    const elapsedMs = Math.round(timers.performance.now() - start);
    return { polls, elapsedMs, remainingMs: Math.max(0, timeoutMs - elapsedMs) };
  };
  let lastSeen: T | undefined;
  let pollFailure: { since: number; error: unknown } | undefined;

  const createTimeoutError = (): WaitTimeoutError =>
    new WaitTimeoutError(timeoutMs, {
      message: `${goal.noun} ${id} ${lastSeen ? `is still ${lastSeen.status}` : "could not be read"} after ${timeoutMs} ms`,
      ...goal.timeoutAdvice,
      resource: goal.resource,
      cause: pollFailure?.error ?? cause,
      id,
      last: lastSeen,
    });

  return await withDeadline(
    {
      signals: signals.concat(callerSignal ?? []),
      timeoutMs: remainingMs,
      onTimeout: createTimeoutError,
      timers,
    },
    async (signal) => {
      onStart?.(createProgress(0));
      for (
        let polls = 1, backoffMs = initialBackoffMs;
        ;
        polls += 1, backoffMs = Math.min(backoffMs * backoffFactor, maxBackoffMs)
      ) {
        let pauseMs = pollIntervalMs ?? Math.random() * backoffMs;
        let seenResource: T | undefined;
        try {
          seenResource = await poll({ ...requestOptions, signal, maxRetries: 0 });
        } catch (error) {
          signal.throwIfAborted();
          const now = timers.performance.now();
          pollFailure = { since: pollFailure?.since ?? now, error };
          pauseMs = Math.max(pauseMs, readRetryAfterMs(error));
          if (!isTransient(error) || now + pauseMs > pollFailure.since + maxFailureMs) throw error;
        }
        if (seenResource !== undefined) {
          lastSeen = seenResource;
          pollFailure = undefined;
          observe("onProgress", onProgress, seenResource, createProgress(polls));
          if (checkGoal(goal, id, seenResource, cause)) return seenResource;
        }
        await (sleep ? sleep(pauseMs, signal) : pause(pauseMs, signal, timers));
        // A caller's `sleep` may ignore its signal.
        signal.throwIfAborted();
      }
    },
  );
};

const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408));

const readRetryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0;

/** Returns whether the goal is reached. Throws when it can no longer be reached. */
const checkGoal = <T extends AwaitedResource>(
  goal: WaitGoal<T>,
  id: string,
  seenResource: T,
  cause: unknown,
): boolean => {
  const { status } = seenResource;
  // A newer service may return a status that this SDK does not know. The wait continues.
  const outcome = Object.hasOwn(goal.outcomes, status) ? goal.outcomes[status as T["status"]] : "pending";
  if (typeof outcome === "string") return outcome === "reached";
  const { code, problem, hint, advice } = outcome;
  const message = `${goal.noun} ${id} ${problem}`;
  const { resource } = goal;
  throw new WaitFailedError(code, { message, hint, advice, resource, cause, id, last: seenResource });
};
