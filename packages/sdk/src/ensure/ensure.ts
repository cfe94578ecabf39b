import { ApiError } from "../errors/api-error.js";
import { ConnectionError, TimeoutError } from "../errors/local-errors.js";
import { MgmtError } from "../errors/mgmt-error.js";
import type { Attempt } from "../request/attempt.js";
import type { RequestOptions } from "../request/call.js";
import { readTimeout, withDeadline } from "../request/deadline.js";
import { pause } from "../wait/pause.js";
import type { EnsureResult } from "./ensure-result.js";

/** Pauses between rounds are drawn from zero to a bound that doubles up to this. */
const longestPauseMs = 4_000;
const firstPauseMs = 200;
/** A service that fails every create and every look is given up on. */
const maxRounds = 8;

/** How one kind of resource is created, and found by what makes it the same. */
export interface Identity<Created, Found> {
  create: (options: RequestOptions) => Promise<Created>;
  /** `conflict` is what the create was refused with; undefined when its outcome is unknown. */
  find: (options: RequestOptions, conflict: ApiError | undefined) => Promise<Found | undefined>;
  /** Codes that say that it may be there already. */
  conflicts: readonly string[];
  method: string;
  path: string;
}

/**
 * Creates first: the service lets one of many win. Looks for the resource after a conflict, and after an outcome that is
 * unknown (no answer, no readable one, 408, 5xx); creates again when it is not there, which cannot make a second one, for
 * the service keeps the identity unique. All of it under one deadline; an error has the attempts of all of it.
 */
export const ensure = async <Created, Found>(
  identity: Identity<Created, Found>,
  options: RequestOptions = {},
): Promise<EnsureResult<Created, Found>> => {
  const timeoutMs = readTimeout(options.timeoutMs ?? 60_000);
  const { method, path } = identity;
  const timedOut = (): TimeoutError => new TimeoutError({ method, url: path }, timeoutMs);
  const end = performance.now() + timeoutMs;
  const attempts: Attempt[] = [];
  let work: Promise<EnsureResult<Created, Found>> | undefined;
  try {
    return await withDeadline({ signal: options.signal, timeoutMs, timedOut }, (signal) => {
      work = createOrFind(identity, { ...options, signal }, signal, end, attempts);
      return work;
    });
  } catch (thrown) {
    // Lets the call under way say what it tried.
    await work?.catch(() => undefined);
    // That of the last call knows only the time that was left for it.
    const error = thrown instanceof TimeoutError ? timedOut() : thrown;
    if (error instanceof MgmtError && attempts[0]) error.attempts = attempts;
    throw error;
  }
};

const createOrFind = async <Created, Found>(
  { create, find, conflicts }: Identity<Created, Found>,
  options: RequestOptions,
  signal: AbortSignal,
  end: number,
  attempts: Attempt[],
): Promise<EnsureResult<Created, Found>> => {
  // Calls know the time that is left, so that they do not begin a pause that is longer.
  const each = (): RequestOptions => ({ ...options, timeoutMs: Math.max(end - performance.now(), 1) });
  for (let round = 1; ; round += 1) {
    const pauseMs = Math.random() * Math.min(firstPauseMs * 2 ** (round - 1), longestPauseMs);
    try {
      return { created: true, resource: await create(each()) };
    } catch (error) {
      note(error, attempts);
      signal.throwIfAborted();
      const conflict = error instanceof ApiError && conflicts.includes(error.code) ? error : undefined;
      if (!conflict && !isUnknown(error)) throw error;
      const found = await look(() => find(each(), conflict), signal, attempts);
      if (found) return { created: false, resource: found };
      if (round >= maxRounds || performance.now() + pauseMs >= end) throw error;
    }
    await pause(pauseMs, signal);
  }
};

/** Undefined when it is not there, and when that could not be seen. */
const look = async <Found>(
  find: () => Promise<Found | undefined>,
  signal: AbortSignal,
  attempts: Attempt[],
): Promise<Found | undefined> => {
  try {
    return await find();
  } catch (error) {
    note(error, attempts);
    signal.throwIfAborted();
    if (!isUnknown(error)) throw error;
    return undefined;
  }
};

const isUnknown = (error: unknown): boolean =>
  (error instanceof ConnectionError && !(error instanceof TimeoutError)) ||
  (error instanceof ApiError && (error.status < 300 || error.status === 408 || error.status >= 500));

/** A conflict may come by twice. */
const note = (error: unknown, attempts: Attempt[]): void => {
  const made = (error instanceof MgmtError && error.attempts) || [];
  attempts.push(...made.filter((attempt) => !attempts.includes(attempt)));
};
