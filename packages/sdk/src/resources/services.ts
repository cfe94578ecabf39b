import type { PromotionState } from "../errors/wait-errors.js";
import { ServicesOperations } from "../generated/resources/services.js";
import type { App } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.services`. */
export class ServicesResource extends ServicesOperations {
  /**
   * Wait until a deployment is promoted.
   *
   * Polls the service after a promotion until its `latestDeploymentId` is the deployment. Also for apps, which are
   * services.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param serviceId Id of the service.
   * @param deploymentId Id of the deployment.
   * @param options `timeoutMs` defaults to 600,000.
   * @throws `WaitTimeoutError` `wait:timeout`: the service has another deployment at the deadline.
   * @throws `AppNotFoundError` 404: the service does not exist or was deleted.
   * @throws The errors of `get`, and the reason of `options.signal` if it is aborted.
   */
  async waitUntilPromoted(
    serviceId: string,
    deploymentId: string,
    options?: WaitOptions<PromotionState>,
  ): Promise<App> {
    const { waitForPromotion } = await this.load();
    return waitForPromotion(serviceId, deploymentId, (each) => this.get(serviceId, each), options);
  }
}
