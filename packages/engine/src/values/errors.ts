import { RequestError, type Issue } from "./request-error.js";
import { formatTimestamp } from "./clock.js";
import { type Kind, kindNames } from "./ids.js";

/** Kinds that have their own error code for a missing resource. */
export type MissingKind = Exclude<Kind, "user" | "client">;

/** Builds the errors that requests to any operation can have. Those of a resource stand beside its rules. */
export const errors = {
  unauthorized: (reason = "The access token is missing or not valid") =>
    new RequestError(
      401,
      "auth:unauthorized",
      reason,
      "Send a valid access token: Authorization: Bearer <ACCESS_TOKEN>",
      {},
      {
        "www-authenticate": "Bearer",
      },
    ),
  forbidden: (
    message = "The credential has no access to this resource",
    hint = "Use a credential of the workspace that the resource belongs to",
  ) => new RequestError(403, "auth:forbidden", message, hint),
  approvalRequired: (approval: { approvalId: string; expiresAt: number; approvalUrl: string }) =>
    new RequestError(
      403,
      "approval_required",
      "The agent needs its sponsor's approval for this request",
      "Poll the approval, and send the same request again once it is approved",
      { ...approval, expiresAt: formatTimestamp(approval.expiresAt) },
    ),
  approvalDenied: () =>
    new RequestError(
      403,
      "approval:denied",
      "The sponsor denied this request",
      "Ask the sponsor before sending the request again; a new approval can be requested 15 minutes after the denied one was created",
    ),
  validationFailed: (issues: readonly Issue[]) =>
    new RequestError(
      422,
      "validation:failed",
      `The request is not valid: ${issues.map(({ path, message }) => `${path || "the body"} ${message}`).join("; ")}`,
      "Correct the fields that are listed in issues, and send the request again",
      { issues },
    ),
  /** @param suggestedPath the path that the caller probably meant. */
  routeNotFound: (path: string, suggestedPath?: string) =>
    new RequestError(
      404,
      "route:not_found",
      `The path ${path.slice(0, 200)} does not exist`,
      suggestedPath === undefined
        ? "GET /v1/doc lists the paths of the API"
        : `Send the request to ${suggestedPath}`,
    ),
  methodNotAllowed: (method: string, allowed: readonly string[]) =>
    new RequestError(
      405,
      "route:method_not_allowed",
      `This path does not support ${method}`,
      `Use ${allowed.join(" or ")}`,
      {},
      { allow: allowed.join(", ") },
    ),
  malformed: (message: string) =>
    new RequestError(400, "request:malformed", message, "Send the request body as well-formed JSON in UTF-8"),
  missingHost: () =>
    new RequestError(
      400,
      "request:malformed",
      "The request has no Host header",
      "Send a Host header with the server's own address",
    ),
  expectationFailed: () =>
    new RequestError(
      417,
      "request:malformed",
      "The server does not support the value of the Expect header",
      "Remove the Expect header, or send Expect: 100-continue",
    ),
  unsupportedMediaType: () =>
    new RequestError(
      415,
      "request:unsupported_media_type",
      "The Content-Type of the request is not JSON",
      "Send the header Content-Type: application/json",
    ),
  unsupportedContentEncoding: () =>
    new RequestError(
      415,
      "request:unsupported_media_type",
      "The request body has a Content-Encoding, which the server does not decode",
      "Send the body without compression, and without the header Content-Encoding",
      {},
      { "accept-encoding": "identity" },
    ),
  tooLarge: (limit: number) =>
    new RequestError(
      413,
      "request:too_large",
      `The request body exceeds the limit of ${String(limit)} bytes`,
      "Send a smaller body",
    ),
  /** @param limit number of bytes. */
  headersTooLarge: (limit: number) =>
    new RequestError(
      431,
      "request:headers_too_large",
      `The path, the query and the headers of the request exceed the limit of ${String(limit)} bytes`,
      "Send shorter query parameters and headers",
    ),
  requestIncomplete: () =>
    new RequestError(
      408,
      "request:incomplete",
      "The server stopped waiting for the rest of the request",
      "Send the whole request again without pauses",
    ),
  rateLimited: (seconds: number, headers: Readonly<Record<string, string>>) =>
    new RequestError(
      429,
      "rate_limit:exceeded",
      "Too many requests",
      `Wait ${String(seconds)} s before the next request`,
      {},
      { ...headers, "retry-after": String(seconds) },
    ),
  notFound: (kind: MissingKind) =>
    new RequestError(
      404,
      `${kind}:not_found`,
      `The ${kindNames[kind]} does not exist`,
      "Check the id. The resource may have been deleted, or it may be in a workspace that the credential cannot access",
    ),
  invalidRestoreSource: (message: string) =>
    new RequestError(
      422,
      "restore:invalid_source",
      message,
      'Set a source of the type "backup", with databaseId and backupId',
      { issues: [{ path: "/source/type", message: "must be backup" }] },
    ),
  internal: () =>
    new RequestError(
      500,
      "internal:error",
      "The server failed while it processed the request",
      "Send the request again later. If it keeps failing, report the request id",
    ),
  /** Has no `Retry-After`, which clients take as a promise that the request had no effect. */
  outcomeUnknown: () =>
    new RequestError(
      503,
      "internal:unavailable",
      "The server cannot tell whether the request took effect",
      "Before you send the request again, check whether it took effect",
    ),
  /** @param reason why, as the end of a sentence. */
  unavailable: (reason?: string, seconds = 1) =>
    new RequestError(
      503,
      "internal:unavailable",
      `The server cannot process the request now${reason === undefined ? "" : `: ${reason}`}`,
      `Send the request again after ${String(seconds)} s`,
      {},
      { "retry-after": String(seconds) },
    ),
} as const;
