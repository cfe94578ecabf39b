import { errors } from "../values/errors.js";
import { type EngineResponse, toErrorOutcome } from "../values/message.js";
import { randomBytes } from "../values/random-bytes.js";
import type { RequestError } from "../values/request-error.js";

/**
 * Returns an id for responses that the engine does not produce. Every response has an `x-request-id` header.
 */
export const createRequestId = (): string =>
  `req_${Array.from(randomBytes(9), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Returns the response to a request that the engine does not receive. */
export const createErrorResponse = (error: RequestError): EngineResponse => {
  const { status, body } = toErrorOutcome(error);
  const headers = { "content-type": "application/json", "x-request-id": createRequestId() };
  return { status, headers, body: JSON.stringify(body) };
};

/** Maximum number of bytes of the request target and the headers together. */
export const maxHeadBytes = 64 * 1024;

/**
 * Returns the response to a request whose target and headers are too large. Returns undefined when they are not.
 *
 * @param target path with the query.
 */
export const findHeadSizeRejection = (
  target: string,
  headers: Iterable<readonly [string, string]>,
): EngineResponse | undefined => {
  let size = target.length;
  for (const [name, value] of headers) size += name.length + value.length;
  return size < maxHeadBytes
    ? undefined
    : createErrorResponse(errors["request:headers_too_large"]({ limit: maxHeadBytes }));
};
