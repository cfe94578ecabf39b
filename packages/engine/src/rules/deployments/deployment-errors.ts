import { RequestError } from "../../values/request-error.js";

/** Builds the errors of deployments. */
export const deploymentErrors = {
  notRunning: (status: string) =>
    new RequestError(
      409,
      "deployment:not_running",
      `The deployment cannot be promoted: its status is ${status}`,
      "Start the deployment and wait until it is running",
    ),
  notStartable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_startable",
      `A deployment that is ${status} cannot be started`,
      "Start a deployment that is created, uploaded, stopped or failed",
    ),
  notStoppable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_stoppable",
      `A deployment that is ${status} cannot be stopped`,
      "Stop a deployment that is provisioning or running",
    ),
  notDeletable: (status: string) =>
    new RequestError(
      409,
      "deployment:not_deletable",
      `A deployment that is ${status} cannot be deleted`,
      "Stop the deployment first",
    ),
  uploadUrlInvalid: () =>
    new RequestError(
      404,
      "route:not_found",
      "The upload URL does not exist or was already used",
      "Create another deployment to get a new upload URL",
    ),
} as const;
