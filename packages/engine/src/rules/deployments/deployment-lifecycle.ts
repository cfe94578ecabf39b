import type { World } from "../../world/world.js";
import type { JobHandler, JobHandlers } from "../../jobs/job-handler.js";
import type { DeploymentRow, DeploymentStatus } from "../../store/rows.js";
import { previewDomain } from "../apps/domains.js";

const startJob = "deployment.start";
const stopJob = "deployment.stop";

const oneOf =
  (...statuses: readonly DeploymentStatus[]) =>
  (status: DeploymentStatus): boolean =>
    statuses.includes(status);

export const canStart = oneOf("created", "uploaded", "stopped", "failed");
export const canStop = oneOf("provisioning", "running");
export const canDelete = oneOf("created", "uploaded", "stopped", "failed");

/** Starts a deployment. Returns the domain that will serve it. */
export const beginStart = (world: World, { id }: DeploymentRow): string => {
  const domain = previewDomain(id);
  // Code that has been started cannot be replaced, so an unused upload URL becomes invalid.
  world.store.deployments.update(id, { status: "provisioning", previewDomain: domain, uploadKeyHash: null });
  world.scheduler.cancel(world.clock, id);
  world.scheduler.schedule(world.clock, startJob, id, world.settings.lifecycle.deploymentStart);
  return domain;
};

/** Stops a deployment. Cancels a start that is under way. */
export const beginStop = (world: World, { id }: DeploymentRow): void => {
  world.scheduler.cancel(world.clock, id);
  world.store.deployments.update(id, { status: "stopping" });
  world.scheduler.schedule(world.clock, stopJob, id, world.settings.lifecycle.deploymentStop);
};

/**
 * Returns a handler that changes the status. It does nothing when the deployment is gone or its status has changed.
 */
const transition =
  (from: DeploymentStatus, to: DeploymentStatus): JobHandler =>
  (world, id) =>
    world.transact({ mode: "write", locks: [id] }, ({ store }) => {
      if (store.deployments.get(id)?.status === from) store.deployments.update(id, { status: to });
    });

/** Only the control surface sets the status `failed`, because the reference server runs no code. */
export const deploymentJobs: JobHandlers = {
  [startJob]: transition("provisioning", "running"),
  [stopJob]: transition("stopping", "stopped"),
};
