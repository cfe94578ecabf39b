import { type OperationId, operations } from "../generated/operations.js";
import { errors } from "../values/errors.js";
import { InvalidArgumentError } from "../values/invalid-argument-error.js";
import type { Principal } from "../values/principal.js";
import type { RateLimitSettings } from "../values/settings.js";
import type { CountPreload, RateWindow } from "../store/rate-window.js";

/** Returns the operations that a limit applies to. */
const findLimitedOperations = ({ operations: operationIds }: RateLimitSettings): OperationId[] =>
  operationIds === undefined
    ? Object.values(operations)
        .filter(({ rateLimited }) => rateLimited)
        .map(({ id }) => id)
    : [...operationIds];

/** Checks types too, because a limit can come from JSON. */
const assertRateLimit = ({ requests, window, operations: operationIds }: RateLimitSettings): void => {
  if (!(Number.isInteger(requests) && requests >= 0 && window > 0)) {
    throw new InvalidArgumentError("requests must be a whole number, and window must be greater than 0 ms");
  }
  if (operationIds !== undefined && !Array.isArray(operationIds))
    throw new InvalidArgumentError("operations must be an array of ids");
  const unknownId = operationIds?.find((id) => !Object.hasOwn(operations, id));
  if (unknownId !== undefined) throw new InvalidArgumentError(`The operation ${unknownId} does not exist`);
};

/** A limit whose default for `operations` is resolved. */
export interface ResolvedRateLimit extends Omit<RateLimitSettings, "operations"> {
  readonly limitedOperations: ReadonlySet<OperationId>;
}

/**
 * Returns a limit with the operations that it applies to.
 *
 * @throws TypeError when the limit is not valid.
 */
export const resolveRateLimit = (limit: RateLimitSettings): ResolvedRateLimit => {
  assertRateLimit(limit);
  const { requests, window } = limit;
  return { requests, window, limitedOperations: new Set(findLimitedOperations(limit)) };
};

/** Identifies the windows of a principal: a refreshed token does not start a new window. */
const buildRateWindowKey = ({ subject, clientId }: Principal): string => `${subject}\n${clientId ?? ""}`;

/**
 * Rejects a counted request if its window was full. Returns the `RateLimit-*` headers of its response.
 *
 * @param rateWindow the window that the request was counted in. Its count is above `requests` when it was full.
 * @throws RequestError 429 `rate_limit:exceeded` when the window was full.
 */
const enforceRateLimit = (
  { requests }: ResolvedRateLimit,
  { count, endsAt }: RateWindow,
  now: number,
): Record<string, string> => {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  const headers = {
    "ratelimit-limit": String(requests),
    "ratelimit-remaining": String(Math.max(0, requests - count)),
    "ratelimit-reset": String(seconds),
  };
  if (count > requests) throw errors["rate_limit:exceeded"]({ seconds }, headers);
  return headers;
};

/**
 * Returns the preload that counts a request of a principal.
 *
 * @param rateEpoch the epoch of the server's row. Another epoch starts all counts from 0.
 * @param now milliseconds since 1970.
 */
export const createCountPreload = (
  limit: ResolvedRateLimit,
  rateEpoch: string,
  principal: Principal,
  now: number,
): CountPreload => ({
  read: "hit",
  table: "rateWindows",
  id: `${rateEpoch} ${buildRateWindowKey(principal)}`,
  now,
  length: limit.window,
  maxCount: limit.requests + 1,
});

/**
 * If the operation of a request is limited, counts the request, rejects it when its window is full, and returns the
 * `RateLimit-*` headers of its response. Returns undefined if it is not limited.
 *
 * @param limit null for no limit.
 * @param countRequest counts it in its window.
 * @throws RequestError 429 `rate_limit:exceeded` when the window is full.
 */
export const countAndEnforceRateLimit = (
  limit: ResolvedRateLimit | null,
  operation: OperationId,
  countRequest: (limit: ResolvedRateLimit) => { readonly window: RateWindow; readonly now: number },
): Record<string, string> | undefined => {
  if (limit === null || !limit.limitedOperations.has(operation)) return undefined;
  const { window, now } = countRequest(limit);
  return enforceRateLimit(limit, window, now);
};
