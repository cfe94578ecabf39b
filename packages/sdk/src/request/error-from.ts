import type { ValidationIssue } from "../generated/types.js";
import { redactHeaders, redactMessage } from "@mgmt/internal/redaction/redact";
import type { BodyFault } from "./decode.js";
import { readRetryAfter } from "./retry-policy.js";
import type { TransportResponse } from "../transport/transport.js";
import { type ApiError, InvalidResponseError } from "../errors/api-error.js";
import { getApiErrorClass, needsKindOfCode } from "../errors/api-error-class.js";
import { type MgmtError, type MgmtErrorOptions, kindsKey } from "../errors/mgmt-error.js";
import { PagingError } from "../errors/paging-error.js";

type JsonFields = Record<string, unknown>;

/**
 * Makes the error of a response. Its class is the one of the error code; the one of the status if the code is unknown or belongs to another
 * status; otherwise `ApiError`. The body may be anything that a proxy sends: HTML, broken JSON, or JSON without an envelope.
 */
export const createApiError = (
  { method, path }: { method: string; path: string },
  response: TransportResponse,
): ApiError => {
  const { status, headers, body } = response;
  const json = toJsonFields(parseJson(body));
  const details = toJsonFields(json["error"], json);
  const code = toNonEmptyString(details["code"]) ?? `http:${status}`;
  const message =
    redactIfText(details["message"]) ??
    redactIfText(details["error_description"]) ??
    redactIfText(details["error"]);
  const content = body ? (readMediaType(headers) ?? "no content type") : "no body";
  const error = new (getApiErrorClass(code, status))({
    status,
    code,
    message: message ?? `${method} ${path} failed with status ${status} (${content})`,
    ...chooseHint(status, redactIfText(details["hint"]), message),
    requestId: headers["x-request-id"],
    issues: parseIssues(details["issues"]),
    retryAfter: readRetryAfter(response),
    headers: redactPrintedHeaders(headers),
    method,
    path,
    details,
  });
  if (needsKindOfCode(code, status)) addKind(error, code);
  return error;
};

/**
 * Returns a copy of the headers that masks its secrets when it is printed: with `JSON.stringify`, and with `util.inspect` or
 * `console.log` of Node.js. Reading and copying its properties keeps their values.
 */
const redactPrintedHeaders = (
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const redactedProperty = { value: () => redactHeaders(headers) };
  return Object.defineProperties(
    { ...headers },
    {
      toJSON: redactedProperty,
      [Symbol.for("nodejs.util.inspect.custom")]: redactedProperty,
    },
  );
};

const readMediaType = (headers: TransportResponse["headers"]): string | undefined =>
  headers["content-type"]?.split(";")[0];

/** Adds a kind that the error's class does not have. */
const addKind = (error: MgmtError, kind: string): void => {
  const kinds: unknown = Reflect.get(error, kindsKey);
  if (Array.isArray(kinds)) kinds.push(kind);
};

/** Returns the hint of the service, or a hint of the SDK if the service sent neither a hint nor a message. */
const chooseHint = (
  status: number,
  hint: string | undefined,
  message: string | undefined,
): MgmtErrorOptions => {
  if (hint !== undefined || message !== undefined) return { hint };
  return status >= 300 && status < 400
    ? {
        hint: "The SDK does not follow redirects: set baseUrl to the URL that the service redirects to.",
        advice: "use_redirect_target",
      }
    : {
        hint: "The response may come from a server in between: check baseUrl, proxies and load balancers.",
        advice: "check_intermediary",
      };
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const toJsonFields = (value: unknown, fallback: JsonFields = {}): JsonFields =>
  // `JsonFields` claims nothing about the types of the fields.
  typeof value === "object" && value !== null ? (value as JsonFields) : fallback;

const toNonEmptyString = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a non-empty string with its secrets masked, because programs log the messages of errors; undefined for any other value. */
const redactIfText = (value: unknown): string | undefined => {
  const text = toNonEmptyString(value);
  return text === undefined ? undefined : redactMessage(text);
};

const parseIssues = (value: unknown): ValidationIssue[] | undefined =>
  Array.isArray(value)
    ? value.map((issue) => {
        const { path, message } = toJsonFields(issue);
        return { path: toNonEmptyString(path) ?? "", message: redactIfText(message) ?? "" };
      })
    : undefined;

/** Makes the error of a 2xx response without a value. The message does not quote the body, because it may contain secrets. */
const invalidResponseError = (
  { method, path }: { method: string; path: string },
  { status, headers, body }: TransportResponse,
  problem: "not JSON" | "not in the contract",
): InvalidResponseError => {
  const type = readMediaType(headers) ?? "no content type";
  const bodyDescription =
    body === "" ? "empty" : problem === "not JSON" ? `not JSON (${type})` : "not what the contract specifies";
  return new InvalidResponseError({
    status,
    code: "response:invalid",
    message: `${method} ${path} returned status ${status}, but the body is ${bodyDescription}`,
    hint: "Check that baseUrl is the URL of the Management API. The call may have taken effect.",
    advice: "check_base_url",
    requestId: headers["x-request-id"],
    headers: redactPrintedHeaders(headers),
    method,
    path,
    details: {},
  });
};

/** Implements `ResponseErrors.responseError`. */
export const responseError = (
  message: { method: string; path: string },
  response: TransportResponse,
  fault: BodyFault | undefined,
): ApiError | PagingError => {
  const { status, headers } = response;
  if (status < 200 || status > 299) return createApiError(message, response);
  if (fault === undefined) return invalidResponseError(message, response, "not in the contract");
  return fault === "not_json"
    ? invalidResponseError(message, response, "not JSON")
    : new PagingError(fault, headers["x-request-id"]);
};
