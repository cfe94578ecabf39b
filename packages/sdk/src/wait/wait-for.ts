import { ApiError } from "../errors/api-error.js";
import { ConnectionError } from "../errors/local-errors.js";
import { type AwaitedResource, WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import type { RequestOptions } from "../request/call.js";
import { readTimeout, withDeadline } from "../request/deadline.js";
import type { Goal } from "./goals.js";
import { pause } from "./pause.js";
import type { WaitOptions, WaitProgress } from "./wait-options.js";

/** Pauses are drawn from zero to a bound that grows from a fifth of a second to five. */
const firstPauseMs = 200;
const longestPauseMs = 5_000;
const growth = 1.5;
/** Looks may fail this long in a row, with what may pass; and no `Retry-After` is waited for longer. */
const patienceMs = 60_000;

/** Reads once what is waited for. */
export type Look<T> = (options: RequestOptions) => Promise<T>;

interface Wait<T extends AwaitedResource> {
  goal: Goal<T>;
  id: string;
  look: Look<T>;
  /** Runs before the first look, under the deadline. */
  begin?: (progress: WaitProgress) => void | Promise<void>;
  /** What made it necessary to wait. */
  cause?: unknown;
}

/**
 * Looks until the goal is reached, under one deadline. A look that fails with what may pass (no answer, 408, 429, 5xx) is
 * no end until a minute of them is over; any other failure is thrown as it is.
 */
export const waitFor = async <T extends AwaitedResource>(
  { goal, id, look, begin, cause }: Wait<T>,
  options: WaitOptions<T> = {},
): Promise<T> => {
  const { onProgress, signal: callerSignal, timeoutMs: said, ...request } = options;
  const timeoutMs = readTimeout(said ?? goal.timeoutMs);
  const start = performance.now();
  const progress = (looks: number): WaitProgress => {
    const elapsedMs = Math.round(performance.now() - start);
    return { looks, elapsedMs, remainingMs: Math.max(0, timeoutMs - elapsedMs) };
  };
  let last: T | undefined;
  let failing: { since: number; error: unknown } | undefined;

  const timedOut = (): WaitTimeoutError =>
    new WaitTimeoutError(timeoutMs, {
      message: `${goal.noun} ${id} ${last ? `is still ${last.status}` : "could not be read"} after ${timeoutMs} ms`,
      ...goal.late,
      resource: goal.resource,
      cause: failing?.error ?? cause,
      id,
      last,
    });

  return await withDeadline({ signal: callerSignal, timeoutMs, timedOut }, async (signal) => {
    await begin?.(progress(0));
    for (
      let looks = 1, bound = firstPauseMs;
      ;
      looks += 1, bound = Math.min(bound * growth, longestPauseMs)
    ) {
      let pauseMs = Math.random() * bound;
      let seen: T | undefined;
      try {
        seen = await look({ ...request, signal, maxRetries: 0 });
      } catch (error) {
        signal.throwIfAborted();
        const now = performance.now();
        failing = { since: failing?.since ?? now, error };
        pauseMs = Math.max(pauseMs, retryAfterMs(error));
        if (!mayPass(error) || now + pauseMs > failing.since + patienceMs) throw error;
      }
      if (seen !== undefined) {
        last = seen;
        failing = undefined;
        await onProgress?.(seen, progress(looks));
        if (isReached(goal, id, seen, cause)) return seen;
      }
      await pause(pauseMs, signal);
    }
  });
};

const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408));

const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0;

/** Whether the wait is over. Throws when it is over for nothing. */
const isReached = <T extends AwaitedResource>(
  goal: Goal<T>,
  id: string,
  seen: T,
  cause: unknown,
): boolean => {
  const { status } = seen;
  // Only the contract's own statuses are looked up: a service newer than it may have others.
  const outcome = Object.hasOwn(goal.outcomes, status) ? goal.outcomes[status as T["status"]] : "ahead";
  if (typeof outcome === "string") return outcome === "reached";
  const { code, problem, hint, advice } = outcome;
  const message = `${goal.noun} ${id} ${problem}`;
  const { resource } = goal;
  throw new WaitFailedError(code, { message, hint, advice, resource, cause, id, last: seen });
};
