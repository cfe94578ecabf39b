import type { OperationContext } from "../../context/operation-context.js";
import type { JobHandler, JobHandlers } from "../../jobs/job-handler.js";
import type { DeploymentRow, DeploymentStatus } from "../../store/rows.js";
import { buildPreviewDomain } from "../apps/domains.js";

const startJobKind = "deployment.start";
const stopJobKind = "deployment.stop";

const createStatusTest =
  (...statuses: readonly DeploymentStatus[]) =>
  (status: DeploymentStatus): boolean =>
    statuses.includes(status);

/** Returns whether a deployment with this status can be started. */
export const isStartable = createStatusTest("created", "uploaded", "stopped", "failed");
/** Returns whether a deployment with this status can be stopped. */
export const isStoppable = createStatusTest("provisioning", "running");
/** Returns whether a deployment with this status can be deleted. */
export const isDeletable = createStatusTest("created", "uploaded", "stopped", "failed");

/** Starts a deployment. Returns the domain that will serve it. */
export const startDeployment = (context: OperationContext, { id }: DeploymentRow): string => {
  const domain = buildPreviewDomain(id);
  // Code that has been started cannot be replaced, so an unused upload URL becomes invalid.
  context.store.deployments.update(id, {
    status: "provisioning",
    previewDomain: domain,
    uploadKeyHash: null,
  });
  context.scheduler.cancel(context.clock, { subject: id });
  context.scheduler.schedule(context.clock, {
    kind: startJobKind,
    subject: id,
    delayMs: context.settings.lifecycle.deploymentStart,
  });
  return domain;
};

/** Stops a deployment. Cancels a start that is in progress. */
export const stopDeployment = (context: OperationContext, { id }: DeploymentRow): void => {
  context.scheduler.cancel(context.clock, { subject: id });
  context.store.deployments.update(id, { status: "stopping" });
  context.scheduler.schedule(context.clock, {
    kind: stopJobKind,
    subject: id,
    delayMs: context.settings.lifecycle.deploymentStop,
  });
};

/** Returns a handler that changes the status. It does nothing if the deployment no longer exists or its status has changed. */
const createTransitionHandler =
  (fromStatus: DeploymentStatus, toStatus: DeploymentStatus): JobHandler =>
  (context, id) =>
    context.transact({ mode: "write", locks: [id] }, ({ store }) => {
      if (store.deployments.get(id)?.status === fromStatus)
        store.deployments.update(id, { status: toStatus });
    });

/** Only the control surface sets the status `failed`, because the reference server runs no code. */
export const deploymentJobs: JobHandlers = {
  [startJobKind]: createTransitionHandler("provisioning", "running"),
  [stopJobKind]: createTransitionHandler("stopping", "stopped"),
};
