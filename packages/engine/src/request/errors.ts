import { RequestError, type Issue } from "./request-error.js";
import { timestamp } from "../time/clock.js";
import { type Kind, kindNames } from "./ids.js";

/** Kinds that have their own error code for a missing resource. */
export type MissingKind = Exclude<Kind, "user" | "client">;

export interface ExistingApp {
  existingAppId: string;
  name: string;
  /** Empty for an app without a branch. */
  branchGitName: string;
  conflict: "name" | "logicalId";
  logicalId: string | null;
}

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
      { ...approval, expiresAt: timestamp(approval.expiresAt) },
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
      "Fix the fields listed in issues and send the request again",
      { issues },
    ),
  routeNotFound: (path: string) =>
    new RequestError(
      404,
      "route:not_found",
      `The path ${path.slice(0, 200)} does not exist`,
      "All paths of the API start with /v1",
    ),
  uploadUrlInvalid: () =>
    new RequestError(
      404,
      "route:not_found",
      "The upload URL does not exist or was already used",
      "Create another deployment to get a new upload URL",
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

  projectHasDependencies: (dependencies: string) =>
    new RequestError(
      400,
      "project:has_dependencies",
      `The project still has ${dependencies}`,
      "Delete its apps, services and databases (except the default database) first",
    ),
  projectLogicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "project:logical_id_conflict",
      `Another project of the workspace has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing project",
    ),
  projectAlreadyInWorkspace: () =>
    new RequestError(
      409,
      "project:already_in_workspace",
      "The project is already in the recipient's workspace",
      "Use an access token of the owner of another workspace",
    ),
  invalidRecipientToken: () =>
    new RequestError(
      422,
      "transfer:invalid_recipient_token",
      "The recipient access token cannot be used for a transfer",
      "Use an unexpired token of the recipient workspace's owner, with the scope workspace:admin",
      { issues: [{ path: "/recipientAccessToken", message: "is not a usable access token" }] },
    ),

  invalidUsageRange: (message: string) =>
    new RequestError(400, "usage:invalid_range", message, "Set a startDate that is before the endDate"),
  databaseBusy: (status: string) =>
    new RequestError(
      409,
      "database:busy",
      `The database is ${status}`,
      "Wait until its status is ready or failure, and send the request again",
    ),
  databaseDefaultProtected: () =>
    new RequestError(
      403,
      "database:default_protected",
      "The default database of a project cannot be deleted",
      "Delete the project, or make another database the default first",
    ),
  databaseLogicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "database:logical_id_conflict",
      `Another database on the branch has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing database",
    ),
  /** @param path JSON pointer of the field in the body that names the database. */
  databaseSourceNotReady: (status: string, path: string) =>
    new RequestError(
      422,
      "database:source_not_ready",
      `The source database is ${status}`,
      "Wait until the status of the source database is ready",
      { issues: [{ path, message: "names a database that is not ready" }] },
    ),
  invalidRestoreSource: (message: string) =>
    new RequestError(
      422,
      "restore:invalid_source",
      message,
      'Set a source of the type "backup", with databaseId and backupId',
      { issues: [{ path: "/source/type", message: "must be backup" }] },
    ),
  /** @param path JSON pointer of the field in the body that names the backup. */
  backupUnusable: (status: string, path: string) =>
    new RequestError(
      422,
      "backup:unusable",
      `The backup is ${status}`,
      "Choose a backup whose status is completed",
      { issues: [{ path, message: "names a backup that is not completed" }] },
    ),

  appAlreadyExists: (app: ExistingApp) =>
    new RequestError(
      409,
      "app:already_exists",
      app.conflict === "name"
        ? `An app named ${app.name} already exists on the branch`
        : `An app with the logicalId ${String(app.logicalId)} already exists on the branch`,
      undefined,
      { ...app },
    ),
  appLogicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "app:logical_id_conflict",
      `Another app on the branch has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing app",
    ),
  appLogicalIdBound: (logicalId: string) =>
    new RequestError(
      409,
      "app:logical_id_bound",
      `The app is bound to the logicalId ${logicalId}`,
      "To change it, set logicalId to null first",
    ),
  appDeploymentsNotDeletable: () =>
    new RequestError(
      409,
      "app:deployments_not_deletable",
      "A deployment of the app could not be deleted, or one was added during the request; nothing was changed",
      "Wait until no deployment is provisioning or stopping, then send the request again",
    ),
  deploymentNotRunning: (status: string) =>
    new RequestError(
      409,
      "deployment:not_running",
      `The deployment is ${status}`,
      "Start the deployment and wait until it is running",
    ),
  deploymentNotStartable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_startable",
      `A deployment that is ${status} cannot be started`,
      "Start a deployment that is created, uploaded, stopped or failed",
    ),
  deploymentNotStoppable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_stoppable",
      `A deployment that is ${status} cannot be stopped`,
      "Stop a deployment that is provisioning or running",
    ),
  deploymentNotDeletable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_deletable",
      `A deployment that is ${status} cannot be deleted`,
      "Stop the deployment first",
    ),

  branchAlreadyExists: (gitName: string) =>
    new RequestError(
      409,
      "branch:already_exists",
      `The project already has a branch ${gitName}`,
      "Use the existing branch, or choose another gitName",
    ),
  branchDefaultProtected: () =>
    new RequestError(
      422,
      "branch:default_protected",
      "The default or production branch of a project cannot be deleted",
      "Make another branch the default first. The production branch is deleted with its project",
      { issues: [{ path: "path/branchId", message: "names the default or production branch" }] },
    ),
  branchHasResources: (resources: string) =>
    new RequestError(
      409,
      "branch:has_resources",
      `The branch still has ${resources}`,
      "Delete or move its databases, apps and services first",
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
