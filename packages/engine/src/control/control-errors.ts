import { ControlError } from "./control-error.js";

// All errors of the control surface.

const controlDocumentHint =
  "GET /_control/openapi.json describes the bodies that the control surface accepts";

const invalidBodyError = (message: string, hint = controlDocumentHint): ControlError =>
  new ControlError(400, message, hint);

/** @param message of the error that the function with the argument has thrown. */
export const invalidArgument = (message: string): ControlError => invalidBodyError(message);

export const controlDisabled = (): ControlError =>
  new ControlError(404, "The control surface is off", "Start the server with a control secret to turn it on");

export const foreignOrigin = (): ControlError =>
  new ControlError(
    403,
    "The control surface refuses requests from other origins",
    "Send the request from a program, or from a page of the server itself",
  );

export const wrongSecret = (header: string): ControlError =>
  new ControlError(
    403,
    "The control secret is missing or wrong",
    `Send the control secret of this server in the header ${header}`,
  );

export const routeNotFound = (): ControlError =>
  new ControlError(
    404,
    "The control surface has no such path",
    "GET /_control/openapi.json lists the paths of the control surface",
  );

export const methodNotAllowed = (method: string, allowedMethods: readonly string[]): ControlError =>
  new ControlError(405, `This path does not support ${method}`, `Use ${allowedMethods.join(" or ")}`);

export const bodyTooLarge = (maxBytes: number): ControlError =>
  new ControlError(413, "The body is too large", `Send at most ${String(maxBytes)} bytes`);

export const bodyEncoded = (): ControlError =>
  invalidBodyError(
    "The body has a Content-Encoding, which the server does not decode",
    "Send the body without compression, and without the header Content-Encoding",
  );

export const bodyNotJson = (): ControlError =>
  invalidBodyError("The body is not JSON", "Send a JSON object in UTF-8");

export const bodyTooDeep = (levels: number): ControlError =>
  invalidBodyError(`The body is nested more than ${String(levels)} levels deep`);

export const bodyNotAnObject = (): ControlError =>
  invalidBodyError("The body is not a JSON object", "Send a JSON object in UTF-8");

export const invalidNonce = (): ControlError =>
  invalidBodyError("The nonce is missing or not valid", "Send a nonce of 32 to 128 characters of base64url");

export const unknownFields = (unknownNames: readonly string[], knownNames: readonly string[]): ControlError =>
  invalidBodyError(
    `The body has unknown fields: ${unknownNames.join(", ")}`,
    knownNames.length > 0
      ? `The fields of this request are ${knownNames.join(", ")}`
      : "Send this request without a body",
  );

/** @param requirement such as `must be a string`. */
export const invalidField = (name: string, requirement: string): ControlError =>
  invalidBodyError(`${name} ${requirement}`);

export const notFound = (kind: string, id: string): ControlError =>
  new ControlError(404, `The ${kind} ${id} does not exist`, `Send the id of an existing ${kind}`);

export const defaultResourceDeleted = (name: string): ControlError =>
  new ControlError(
    404,
    `The store has no ${name}`,
    "Reset the server, or create one with POST /_control/tenants",
  );

export const notAMember = (who: string, workspaceId?: string): ControlError =>
  new ControlError(
    409,
    `${who} is not a member of ${workspaceId === undefined ? "a workspace" : `the workspace ${workspaceId}`}`,
    "Choose a user and a workspace that belong together, or create them with POST /_control/tenants",
  );

export const workspaceWithoutOwner = (missing: "member" | "owner"): ControlError =>
  new ControlError(
    409,
    `The workspace has no ${missing}`,
    "Choose another workspace, or create one with POST /_control/tenants",
  );

export const windowTooLong = (maxWindowMs: number): ControlError =>
  invalidBodyError(
    `milliseconds must be greater than 0 and at most ${String(maxWindowMs)} ms`,
    "Choose a shorter window, and approve again when it has ended",
  );

export const windowNotAllowed = (operation: string): ControlError =>
  new ControlError(
    409,
    `${operation} cannot be approved for a window`,
    "Approve the request once with POST /_control/approvals/{id}/approve",
  );

export const approvalDecided = (status: string): ControlError =>
  new ControlError(
    409,
    `The approval is ${status}; only a pending one can be decided`,
    "List the approvals with GET /_control/approvals, and decide a pending one",
  );

export const databaseNotReady = (status: string): ControlError =>
  new ControlError(
    409,
    `The database is ${status}; only a ready one can be backed up`,
    "Wait until it is ready, or set its status with PUT /_control/databases/{id}/status",
  );

export const databaseDeleted = (): ControlError =>
  new ControlError(409, "The database was deleted during the backup", "Back up another database");

export const invalidDomain = (): ControlError =>
  invalidBodyError(
    "name must be a lowercase domain, such as shop.example.com",
    "Send the domain without a scheme, a port, and a path",
  );

export const domainAttached = (name: string): ControlError =>
  new ControlError(409, `The domain ${name} is already attached`, "Choose another domain");

export const noRealDatabases = (): ControlError =>
  new ControlError(
    404,
    "This server has no real databases, so it cannot control their connections",
    "Use mgmt dev, whose databases are real",
  );

export const emptySecret = (): ControlError =>
  invalidBodyError("secret must not be empty", "Omit secret, and the server generates one");

export const publicClientSecret = (): ControlError =>
  invalidBodyError(
    "A client that is not confidential has no secret",
    "Omit secret, or omit confidential to register a confidential client",
  );

export const clientExists = (id: string): ControlError =>
  new ControlError(409, `The client ${id} already exists`, "Choose another id, or omit it");

export const clientNotPublic = (id: string): ControlError =>
  new ControlError(409, `The client ${id} is confidential`, "Choose the id of a public client, or a new one");

export const invalidClientId = (id: string): ControlError =>
  invalidBodyError(`${JSON.stringify(id)} is not a client id`, "Use lowercase letters and digits");

export const missingRedirectUri = (): ControlError =>
  invalidBodyError(
    "redirectUris must not be empty",
    "Send the URIs to which the server may redirect the browser after a login",
  );

export const invalidRedirectUri = (uri: string, reason: string): ControlError =>
  invalidBodyError(
    `The redirect URI ${uri} ${reason}`,
    "Use https, http on localhost, or a private-use scheme such as com.example.app:/callback",
  );

export const authorizationRejected = (code: string, description: string): ControlError =>
  invalidBodyError(
    `${code}: ${description}`,
    "Send the parameters that the server's authorization endpoint accepts",
  );

export const invalidUrl = (): ControlError =>
  invalidBodyError(
    "url must be an absolute URL",
    "Send the whole URL that the program would open in a browser",
  );

export const unparsableTime = (): ControlError =>
  invalidBodyError(
    "The time is neither milliseconds since 1970 nor a date, or a date and time with a time zone",
    "Use a time such as 2026-01-31T12:00:00Z, or a date such as 2026-01-31",
  );

export const unsupportedTime = (): ControlError =>
  invalidBodyError("The time must be between 1970-01-01 and 9000-01-01", "Choose a time in this range");

export const invalidAdvance = (): ControlError =>
  invalidBodyError(
    "milliseconds must be a number of at least 0",
    "To move the clock back, send a time to POST /_control/clock/set",
  );

export const unknownSeedKind = (kind: string, kinds: readonly string[]): ControlError =>
  invalidBodyError(
    `${JSON.stringify(kind)} is not a kind of resource: use ${kinds.join(", ")}`,
    "GET /_control/openapi.json describes the fields of each kind",
  );
