/**
 * Thrown when the control surface refuses a request. `message` describes the problem, and `hint` how to fix it. Only `controlErrors`
 * creates it.
 */
export class ControlError extends Error {
  override readonly name = "ControlError";
  constructor(
    /** Of the HTTP response. */
    readonly status: 400 | 403 | 404 | 405 | 409 | 413,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** For a body that the control surface does not accept. */
export const controlDocumentHint =
  "GET /_control/openapi.json describes the bodies that the control surface accepts";

const invalidBodyError = (message: string, hint = controlDocumentHint): ControlError =>
  new ControlError(400, message, hint);

/** Builds every error of the control surface. */
export const controlErrors = {
  off: () =>
    new ControlError(
      404,
      "The control surface is off",
      "Start the server with a control secret to turn it on",
    ),
  foreignOrigin: () =>
    new ControlError(
      403,
      "The control surface refuses requests from other origins",
      "Send the request from a program, or from a page of the server itself",
    ),
  wrongSecret: (header: string) =>
    new ControlError(
      403,
      "The control secret is missing or wrong",
      `Send the control secret of this server in the header ${header}`,
    ),
  routeNotFound: () =>
    new ControlError(
      404,
      "The control surface has no such path",
      "GET /_control/openapi.json lists the paths of the control surface",
    ),
  methodNotAllowed: (method: string, allowedMethods: readonly string[]) =>
    new ControlError(405, `This path does not support ${method}`, `Use ${allowedMethods.join(" or ")}`),
  tooLarge: (maxBytes: number) =>
    new ControlError(413, "The body is too large", `Send at most ${String(maxBytes)} bytes`),
  encoded: () =>
    invalidBodyError(
      "The body has a Content-Encoding, which the server does not decode",
      "Send the body without compression, and without the header Content-Encoding",
    ),
  notJson: () => invalidBodyError("The body is not JSON", "Send a JSON object in UTF-8"),
  tooDeep: (levels: number) => invalidBodyError(`The body is nested more than ${String(levels)} levels deep`),
  notAnObject: () => invalidBodyError("The body is not a JSON object", "Send a JSON object in UTF-8"),
  invalidNonce: () =>
    invalidBodyError(
      "The nonce is missing or not valid",
      "Send a nonce of 32 to 128 characters of base64url",
    ),
  unknownFields: (unknownNames: readonly string[], knownNames: readonly string[]) =>
    invalidBodyError(
      `The body has unknown fields: ${unknownNames.join(", ")}`,
      knownNames.length > 0
        ? `The fields of this request are ${knownNames.join(", ")}`
        : "Send this request without a body",
    ),
  /** @param requirement such as `must be a string`. */
  invalidField: (name: string, requirement: string) => invalidBodyError(`${name} ${requirement}`),

  notFound: (kind: string, id: string) =>
    new ControlError(404, `The ${kind} ${id} does not exist`, `Send the id of an existing ${kind}`),
  defaultDeleted: (name: string) =>
    new ControlError(
      404,
      `The store has no ${name}`,
      "Reset the server, or create one with POST /_control/tenants",
    ),
  notAMember: (who: string, workspaceId?: string) =>
    new ControlError(
      409,
      `${who} is not a member of ${workspaceId === undefined ? "a workspace" : `the workspace ${workspaceId}`}`,
      "Choose a user and a workspace that belong together, or create them with POST /_control/tenants",
    ),
  withoutOwner: (missing: "member" | "owner") =>
    new ControlError(
      409,
      `The workspace has no ${missing}`,
      "Choose another workspace, or create one with POST /_control/tenants",
    ),

  windowTooLong: (maxWindowMs: number) =>
    invalidBodyError(
      `milliseconds must be greater than 0 and at most ${String(maxWindowMs)} ms`,
      "Choose a shorter window, and approve again when it has ended",
    ),
  windowNotAllowed: (operation: string) =>
    new ControlError(
      409,
      `${operation} cannot be approved for a window`,
      "Approve the request once with POST /_control/approvals/{id}/approve",
    ),
  approvalDecided: (status: string) =>
    new ControlError(
      409,
      `The approval is ${status}; only a pending one can be decided`,
      "List the approvals with GET /_control/approvals, and decide a pending one",
    ),

  databaseNotReady: (status: string) =>
    new ControlError(
      409,
      `The database is ${status}; only a ready one can be backed up`,
      "Wait until it is ready, or set its status with PUT /_control/databases/{id}/status",
    ),
  databaseDeleted: () =>
    new ControlError(409, "The database was deleted during the backup", "Back up another database"),
  invalidDomain: () =>
    invalidBodyError(
      "name must be a lowercase domain, such as shop.example.com",
      "Send the domain without a scheme, a port, and a path",
    ),
  domainAttached: (name: string) =>
    new ControlError(409, `The domain ${name} is already attached`, "Choose another domain"),
  noRealDatabases: () =>
    new ControlError(
      404,
      "This server has no real databases, so it cannot control their connections",
      "Use mgmt dev, whose databases are real",
    ),

  emptySecret: () =>
    invalidBodyError("secret must not be empty", "Omit secret, and the server generates one"),
  clientExists: (id: string) =>
    new ControlError(409, `The client ${id} already exists`, "Choose another id, or omit it"),
  clientConfidential: (id: string) =>
    new ControlError(
      409,
      `The client ${id} is confidential`,
      "Choose the id of a public client, or a new one",
    ),
  invalidClientId: (id: string) =>
    invalidBodyError(`${JSON.stringify(id)} is not a client id`, "Use lowercase letters and digits"),
  invalidRedirectUri: (uri: string, reason: string) =>
    invalidBodyError(
      `The redirect URI ${uri} ${reason}`,
      "Use https, http on localhost, or a private-use scheme such as com.example.app:/callback",
    ),
  authorizationRefused: (code: string, description: string) =>
    invalidBodyError(
      `${code}: ${description}`,
      "Send the parameters that the server's authorization endpoint accepts",
    ),
  invalidUrl: () =>
    invalidBodyError(
      "url must be an absolute URL",
      "Send the whole URL that the program would open in a browser",
    ),

  unparsableTime: () =>
    invalidBodyError(
      "The time is neither milliseconds since 1970 nor a date, or a date and time with a time zone",
      "Use a time such as 2026-01-31T12:00:00Z, or a date such as 2026-01-31",
    ),
  unsupportedTime: () =>
    invalidBodyError("The time must be between 1970-01-01 and 9000-01-01", "Choose a time in this range"),
  invalidAdvance: () =>
    invalidBodyError(
      "milliseconds must be a number of at least 0",
      "To move the clock back, send a time to POST /_control/clock/set",
    ),
  unknownSeed: (kind: string, kinds: readonly string[]) =>
    invalidBodyError(
      `${JSON.stringify(kind)} is not a kind of resource: use ${kinds.join(", ")}`,
      "GET /_control/openapi.json describes the fields of each kind",
    ),
};
