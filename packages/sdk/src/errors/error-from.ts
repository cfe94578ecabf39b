import type { ValidationIssue } from "../generated/types.js";
import { redactMessage } from "../debug/redact.js";
import { readRetryAfter } from "../request/retry-after.js";
import type { TransportResponse } from "../transport/transport.js";
import { type ApiError, InvalidResponseError } from "./api-error.js";
import { apiErrorClass, isKnownCode } from "./api-error-class.js";
import { type MgmtErrorOptions, addKind } from "./mgmt-error.js";

type Fields = Record<string, unknown>;

/**
 * Makes the error of an answer: the class of its code; of its status, when the code is unknown or belongs to another
 * status; else a plain `ApiError`. Reads whatever a proxy may have put in the way: HTML, broken JSON, no envelope.
 */
export const errorFrom = (
  { method, path }: { method: string; path: string },
  { status, headers, body }: TransportResponse,
): ApiError => {
  const answer = readObject(parse(body));
  const details = readObject(answer["error"], answer);
  const code = text(details["code"]) ?? `http:${status}`;
  const message = words(details["message"]) ?? words(details["error_description"]) ?? words(details["error"]);
  const type = headers["content-type"]?.split(";")[0];
  const error = new (apiErrorClass(code, status))({
    status,
    code,
    message:
      message ?? `${method} ${path} answered ${status} (${body ? (type ?? "no content type") : "no body"})`,
    ...adviceFor(status, words(details["hint"]), message),
    requestId: headers["x-request-id"],
    issues: readIssues(details["issues"]),
    retryAfter: readRetryAfter(headers["retry-after"]),
    method,
    path,
    details,
  });
  if (!isKnownCode(code)) addKind(error, code);
  return error;
};

/** The service's own hint; ours when the service said nothing at all. */
const adviceFor = (
  status: number,
  hint: string | undefined,
  message: string | undefined,
): MgmtErrorOptions => {
  if (hint !== undefined || message !== undefined) return { hint };
  return status >= 300 && status < 400
    ? {
        hint: "The SDK does not follow redirects: use the address that the service redirects to as baseUrl.",
        advice: "use_redirect_target",
      }
    : {
        hint: "The response may come from a server in between: check baseUrl, proxies and load balancers.",
        advice: "check_intermediary",
      };
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const readObject = (value: unknown, otherwise: Fields = {}): Fields =>
  // The check makes it an object; nothing is known of its fields.
  typeof value === "object" && value !== null ? (value as Fields) : otherwise;

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Words for people, which end up in logs. */
const words = (value: unknown): string | undefined => {
  const said = text(value);
  return said === undefined ? undefined : redactMessage(said);
};

const readIssues = (value: unknown): ValidationIssue[] | undefined =>
  Array.isArray(value)
    ? value.map((entry) => {
        const { path, message } = readObject(entry);
        return { path: text(path) ?? "", message: words(message) ?? "" };
      })
    : undefined;

/** A good status, but not a good body, which may hold secrets: it is not quoted. */
export const invalidResponse = (
  { method, path }: { method: string; path: string },
  { status, headers, body }: TransportResponse,
  problem = body === "" ? "empty" : "not what the contract says",
): InvalidResponseError =>
  new InvalidResponseError({
    status,
    code: "response:invalid",
    message: `${method} ${path} answered ${status}, but the body is ${problem}`,
    hint: "Check that baseUrl is the address of the Management API. Whether the call took effect is unknown.",
    advice: "check_base_url",
    requestId: headers["x-request-id"],
    method,
    path,
    details: {},
  });
