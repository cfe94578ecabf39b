import { DeploymentsOperations } from "../generated/resources/deployments.js";
import type { DeploymentDetails } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** `client.deployments` */
export class DeploymentsResource extends DeploymentsOperations {
  /**
   * Wait until a deployment runs.
   *
   * Polls it after a start, until it answers on its `previewDomain`. One that nobody has started yet is waited for too.
   *
   * Pauses between looks grow to at most 5 seconds. A look that fails with what may pass (no answer, 408, 429, 5xx) ends
   * nothing for a minute.
   *
   * @param deploymentId Id of the deployment.
   * @param options `timeoutMs` is 600,000 by default.
   * @throws `WaitFailedError` `deployment:failed`, or `deployment:stopped` when it is stopped or stopping.
   * @throws `WaitTimeoutError` `wait:timeout`: it is not running at the deadline.
   * @throws `DeploymentNotFoundError` 404: there is no such deployment, or no longer.
   * @throws As `get`, and the reason of `options.signal` when that is aborted.
   */
  async waitUntilRunning(
    deploymentId: string,
    options?: WaitOptions<DeploymentDetails>,
  ): Promise<DeploymentDetails> {
    const { waitForDeployment } = await this.load();
    return waitForDeployment(deploymentId, (each) => this.get(deploymentId, each), options);
  }
}
