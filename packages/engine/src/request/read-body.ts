import { errors } from "./errors.js";
import type { OperationEntry } from "./operation.js";
import type { LimitSettings } from "./settings.js";

/** How many bytes a body of the operation may have. */
export const bodyCap = (operation: OperationEntry, limits: LimitSettings): number =>
  operation.maxBodyBytes === null ? limits.body : Math.min(limits.appBody, limits.body);

/** Marks a body that is absent. */
export const noBody = Symbol("no body");

const maxDepth = 64;

/**
 * The JSON of a body. Throws 413 over the cap, 415 for another media type, 400 for broken JSON or UTF-8, in this order
 * (§ Reading requests). Operations without a body ignore what comes.
 */
export const readBody = (
  operation: OperationEntry,
  raw: { body?: Uint8Array | string | undefined; bodyTooLarge?: boolean | undefined },
  contentType: string | undefined,
  limits: LimitSettings,
): unknown => {
  if (operation.body === "none") return noBody;
  const cap = bodyCap(operation, limits);
  if (raw.bodyTooLarge || (raw.body !== undefined && byteLength(raw.body) > cap)) throw errors.tooLarge(cap);
  if (raw.body === undefined || raw.body.length === 0) return noBody;
  if (!isJson(contentType)) throw errors.unsupportedMediaType();
  const value = parse(decode(raw.body));
  if (isTooDeep(value, maxDepth)) {
    throw errors.validationFailed([
      { path: "", message: `is nested more than ${String(maxDepth)} levels deep` },
    ]);
  }
  return value;
};

const byteLength = (body: Uint8Array | string): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;

/** `application/json`, with any parameters but a charset that is not UTF-8, the only encoding of JSON (RFC 8259). */
const isJson = (contentType: string | undefined): boolean => {
  if (contentType === "application/json") return true;
  const [mediaType = "", ...parameters] = (contentType ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  return mediaType === "application/json" && (charset === undefined || /^"?utf-8"?$/.test(charset));
};

const decoder = new TextDecoder("utf-8", { fatal: true });

const decode = (body: Uint8Array | string): string => {
  if (typeof body === "string") return body;
  try {
    return decoder.decode(body);
  } catch {
    throw errors.malformed("The request body is not UTF-8");
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw errors.malformed("The request body is not JSON");
  }
};

const isTooDeep = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
};
