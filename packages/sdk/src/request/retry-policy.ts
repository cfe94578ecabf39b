import { parseRetryAfter } from "@mgmt/internal/text/http-time";
import { ConnectionError } from "../errors/local-errors.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Outcome } from "./context.js";
import { isCertificateRejected, isUnsent } from "./unsent.js";

/** Pauses have full jitter: they are drawn from zero to a bound that doubles from half a second to eight seconds. */
const initialBackoffMs = 500;
const maxBackoffMs = 8_000;

/** Statuses after which the same request may succeed. */
const transientStatuses = [408, 429, 502, 503, 504];

/** Idempotent methods. Lower-case names, which a program may send through the path client, are not retried. */
const idempotentMethods = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"];

/** Returns whether the service certainly did not process the request. */
export const isCertainlyUnprocessed = (outcome: Outcome): boolean =>
  outcome instanceof ConnectionError
    ? isUnsent(outcome)
    : outcome.status === 429 || (outcome.status === 503 && readRetryAfter(outcome) !== undefined);

/**
 * Returns whether to send the request again. PATCH counts as idempotent because every PATCH of the contract sets absolute values;
 * only a POST can take effect twice.
 */
export const canRetry = (method: string, outcome: Outcome): boolean =>
  (outcome instanceof ConnectionError
    ? !isCertificateRejected(outcome)
    : transientStatuses.includes(outcome.status)) &&
  (idempotentMethods.includes(method) || isCertainlyUnprocessed(outcome));

/** Milliseconds before retry number `retryIndex`, from 0; undefined when `Retry-After` exceeds `maxRetryAfterMs`. */
export const computePauseMs = (
  retryIndex: number,
  outcome: Outcome,
  maxRetryAfterMs: number,
): number | undefined => {
  const requestedMs = (outcome instanceof ConnectionError ? 0 : (readRetryAfter(outcome) ?? 0)) * 1_000;
  if (requestedMs > maxRetryAfterMs) return undefined;
  return requestedMs + Math.random() * Math.min(initialBackoffMs * 2 ** retryIndex, maxBackoffMs);
};

/** Whole seconds of `Retry-After`; undefined if there is none that can be read. */
export const readRetryAfter = ({ headers }: TransportResponse): number | undefined =>
  parseRetryAfter(headers["retry-after"] ?? "");
