import { RequestError } from "../../values/request-error.js";

interface ExistingApp {
  existingAppId: string;
  name: string;
  /** Empty for an app without a branch. */
  branchGitName: string;
  conflict: "name" | "logicalId";
  logicalId: string | null;
}

/** Builds the errors of apps. */
export const appErrors = {
  alreadyExists: (app: ExistingApp) =>
    new RequestError(
      409,
      "app:already_exists",
      app.conflict === "name"
        ? `An app named ${app.name} already exists on the branch`
        : `An app with the logicalId ${String(app.logicalId)} already exists on the branch`,
      undefined,
      { ...app },
    ),
  logicalIdConflict: (logicalId: string) =>
    new RequestError(
      409,
      "app:logical_id_conflict",
      `Another app on the branch has the logicalId ${logicalId}`,
      "Choose another logicalId, or use the existing app",
    ),
  logicalIdBound: (logicalId: string) =>
    new RequestError(
      409,
      "app:logical_id_bound",
      `The app already has the logicalId ${logicalId}`,
      "To change it, first set logicalId to null, then to the new value",
    ),
  deploymentsNotDeletable: () =>
    new RequestError(
      409,
      "app:deployments_not_deletable",
      "A deployment of the app could not be deleted, or one was added during the request; nothing was changed",
      "Wait until no deployment is provisioning or stopping, then send the request again",
    ),
} as const;
