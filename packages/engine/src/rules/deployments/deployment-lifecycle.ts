import type { World } from "../../request/world.js";
import type { JobHandler, JobHandlers } from "../../time/job-handler.js";
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

/** From now on the deployment is on its way to `running`. Gives the domain that will answer with it. */
export const beginStart = (world: World, { id }: DeploymentRow): string => {
  const domain = previewDomain(id);
  // Started code is not replaced: the upload URL, where it was not used, ends here.
  world.store.deployments.update(id, { status: "provisioning", previewDomain: domain, uploadKeyHash: null });
  world.scheduler.cancel(id);
  world.scheduler.schedule(startJob, id, world.settings.lifecycle.deploymentStart);
  return domain;
};

/** From now on the deployment is on its way to `stopped`; a start that is under way is given up. */
export const beginStop = (world: World, { id }: DeploymentRow): void => {
  world.scheduler.cancel(id);
  world.store.deployments.update(id, { status: "stopping" });
  world.scheduler.schedule(stopJob, id, world.settings.lifecycle.deploymentStop);
};

/** One that is gone, or in another state by now, is left as it is. */
const transition =
  (from: DeploymentStatus, to: DeploymentStatus): JobHandler =>
  ({ store }, id) => {
    if (store.deployments.get(id)?.status === from) store.deployments.update(id, { status: to });
  };

/** Only the control surface makes a deployment fail: the reference server runs no code. */
export const deploymentJobs: JobHandlers = {
  [startJob]: transition("provisioning", "running"),
  [stopJob]: transition("stopping", "stopped"),
};
