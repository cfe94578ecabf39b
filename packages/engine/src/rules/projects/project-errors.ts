import { RequestError } from "../../values/request-error.js";

/** Builds the errors of projects. */
export const projectErrors = {
  hasDependencies: (dependencies: string) =>
    new RequestError(
      400,
      "project:has_dependencies",
      `The project still has ${dependencies}`,
      "Delete its apps, services and databases (except the default database) first",
    ),
  logicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "project:logical_id_conflict",
      `Another project of the workspace has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing project",
    ),
  alreadyInWorkspace: () =>
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
      "The access token of the recipient is not valid for a transfer",
      "Use an unexpired token of the recipient workspace's owner, with the scope workspace:admin",
      { issues: [{ path: "/recipientAccessToken", message: "is not a valid access token for a transfer" }] },
    ),
} as const;
