import { byteLength } from "../values/byte-length.js";
import { isTooDeep } from "@mgmt/internal/values/is-too-deep";
import { errors } from "../values/errors.js";
import { type EngineRequest, hasContentEncoding, getHeader } from "../values/message.js";
import type { OperationEntry } from "../generated/operations.js";
import type { LimitSettings } from "../values/settings.js";

/** Returns the maximum number of bytes in a body of the operation. */
export const getMaxBodyBytes = (operation: OperationEntry, limits: LimitSettings): number =>
  operation.maxBodyBytes === null ? limits.body : Math.min(limits.appBody, limits.body);

/** Represents an absent body. */
export const absentBody = Symbol("no body");

const maxBodyDepth = 64;

/**
 * Returns the parsed body of a request; `absentBody` for an operation without one.
 *
 * @throws RequestError 413 for a body over the limit, then 415 for another media type or an encoded body, then 400 for malformed JSON or UTF-8.
 */
export const parseRequestBody = (
  operation: OperationEntry,
  request: EngineRequest,
  limits: LimitSettings,
): unknown => {
  if (operation.body === "none") return absentBody;
  const { body, bodyTooLarge } = request;
  const limit = getMaxBodyBytes(operation, limits);
  if (bodyTooLarge || (body !== undefined && byteLength(body) > limit))
    throw errors["request:too_large"]({ limit });
  if (body === undefined || body.length === 0) return absentBody;
  if (!isJsonContentType(getHeader(request, "content-type")))
    throw errors["request:unsupported_media_type"]();
  if (hasContentEncoding(request.headers)) throw errors["request:unsupported_media_type/encoding"]();
  const parsedBody = parseJson(decodeJsonBody(body));
  if (isTooDeep(parsedBody, maxBodyDepth)) {
    throw errors.validationFailed([
      { path: "", message: `is nested more than ${String(maxBodyDepth)} levels deep` },
    ]);
  }
  return parsedBody;
};

/**
 * Returns whether the media type is JSON. Accepts parameters, except a charset other than UTF-8. See
 * https://www.rfc-editor.org/rfc/rfc8259#section-8.1.
 */
const isJsonContentType = (contentType: string | undefined): boolean => {
  if (contentType === "application/json") return true;
  const [mediaType = "", ...parameters] = (contentType ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  return mediaType === "application/json" && (charset === undefined || /^"?utf-8"?$/.test(charset));
};

const decoder = new TextDecoder("utf-8", { fatal: true });

const decodeJsonBody = (body: Uint8Array | string): string => {
  if (typeof body === "string") return body;
  try {
    return decoder.decode(body);
  } catch {
    throw errors["request:malformed/encoding"]();
  }
};

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    // The message of the parser quotes the body, which may contain a secret.
    throw errors["request:malformed"]();
  }
};
