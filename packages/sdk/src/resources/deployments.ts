import type { WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { DeploymentsOperations, type SafeDeploymentsOperations } from "./generated/deployments.js";
import type { DeploymentDetails } from "../generated/types.js";
import type { MethodError } from "../methods/method-error.js";
import type { safeKey } from "../methods/resource.js";
import type { Result } from "../methods/safe.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.deployments`. */
export class DeploymentsResource extends DeploymentsOperations {
  declare readonly [safeKey]: SafeDeploymentsResource;

  /**
   * Wait until a deployment runs.
   *
   * Polls the deployment after a start until it responds on its `previewDomain`. Also waits for a deployment that has
   * not been started yet.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param deploymentId Id of the deployment.
   * @param options `timeoutMs` defaults to 600,000.
   * @throws `WaitFailedError` `deployment:failed`, or `deployment:stopped` if the deployment is stopped or stopping.
   * @throws `WaitTimeoutError` `wait:timeout`: the deployment is not running at the deadline.
   * @throws `DeploymentNotFoundError` 404: the deployment does not exist or was deleted.
   * @throws The errors of `get`, and the reason of `options.signal` if it is aborted.
   */
  async waitUntilRunning(
    deploymentId: string,
    options?: WaitOptions<DeploymentDetails>,
  ): Promise<DeploymentDetails> {
    return (await this.core().load()).waitForDeployment(
      deploymentId,
      (requestOptions) => this.get(deploymentId, requestOptions),
      options,
    );
  }

  /**
   * Wait until a deployment has stopped.
   *
   * Polls the deployment after a stop. A deployment that never ran, or has failed, counts as stopped.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param deploymentId Id of the deployment.
   * @param options `timeoutMs` defaults to 600,000.
   * @throws `WaitTimeoutError` `wait:timeout`: the deployment has not stopped at the deadline.
   * @throws `DeploymentNotFoundError` 404: the deployment does not exist or was deleted.
   * @throws The errors of `get`, and the reason of `options.signal` if it is aborted.
   */
  async waitUntilStopped(
    deploymentId: string,
    options?: WaitOptions<DeploymentDetails>,
  ): Promise<DeploymentDetails> {
    return (await this.core().load()).waitForStop(
      deploymentId,
      (requestOptions) => this.get(deploymentId, requestOptions),
      options,
    );
  }
}

/** `client.safe.deployments` */
export interface SafeDeploymentsResource extends SafeDeploymentsOperations {
  /** Wait until a deployment runs, as {@link DeploymentsResource.waitUntilRunning} does. */
  waitUntilRunning(
    deploymentId: string,
    options?: WaitOptions<DeploymentDetails>,
  ): Promise<Result<DeploymentDetails, MethodError<"deployments.get"> | WaitTimeoutError | WaitFailedError>>;
  /** Wait until a deployment has stopped, as {@link DeploymentsResource.waitUntilStopped} does. */
  waitUntilStopped(
    deploymentId: string,
    options?: WaitOptions<DeploymentDetails>,
  ): Promise<Result<DeploymentDetails, MethodError<"deployments.get"> | WaitTimeoutError | WaitFailedError>>;
}
