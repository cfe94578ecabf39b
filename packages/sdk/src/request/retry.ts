import { ConnectionError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Outcome } from "./deliver.js";
import { readRetryAfter } from "./retry-after.js";

/** Pauses are drawn from zero to a bound that doubles from half a second to eight (full jitter). */
const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** Answers after which the same request may do better. */
const passing = [408, 429, 502, 503, 504];

/** Methods whose work is the same however often it is done; not those of a program that writes them in its own way. */
const repeatable = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"];

/** Whether no connection was made, so that nothing was sent. */
const isUnsent = (reason: string): boolean =>
  /^(E?CONN(ECTION)?_?REFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/i.test(
    reason,
  );

/** Whether the service surely has not begun to work on the request. */
export const isUntaken = (outcome: Outcome): boolean =>
  outcome instanceof ConnectionError
    ? isUnsent(outcome.reason)
    : outcome.status === 429 || (outcome.status === 503 && retryAfterOf(outcome) !== undefined);

/**
 * Whether to send the request again. Every PATCH of the contract sets absolute values, so that only a POST can do its work
 * twice.
 */
export const mayRetry = (method: string, outcome: Outcome): boolean =>
  (outcome instanceof ConnectionError || passing.includes(outcome.status)) &&
  (repeatable.includes(method) || isUntaken(outcome));

/** Milliseconds before the retry with this number, from 0; undefined when the service asks for more than is allowed. */
export const pauseBefore = (retry: number, outcome: Outcome, maxRetryAfterMs: number): number | undefined => {
  const askedMs = (outcome instanceof ConnectionError ? 0 : (retryAfterOf(outcome) ?? 0)) * 1_000;
  if (askedMs > maxRetryAfterMs) return undefined;
  return askedMs + Math.random() * Math.min(firstPauseMs * 2 ** retry, longestPauseMs);
};

const retryAfterOf = ({ headers }: TransportResponse): number | undefined =>
  readRetryAfter(headers["retry-after"]);
