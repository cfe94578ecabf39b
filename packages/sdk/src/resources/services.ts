import type { PromotionState, WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { ServicesOperations, type SafeServicesOperations } from "./generated/services.js";
import type { App } from "../generated/types.js";
import type { MethodError } from "../methods/method-error.js";
import type { safeKey } from "../methods/resource.js";
import type { Result } from "../methods/safe.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.services`. */
export class ServicesResource extends ServicesOperations {
  declare readonly [safeKey]: SafeServicesResource;

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
    return (await this.core().load()).waitForPromotion(
      serviceId,
      deploymentId,
      (requestOptions) => this.get(serviceId, requestOptions),
      options,
    );
  }
}

/** `client.safe.services` */
export interface SafeServicesResource extends SafeServicesOperations {
  /** Wait until a deployment is promoted, as {@link ServicesResource.waitUntilPromoted} does. */
  waitUntilPromoted(
    serviceId: string,
    deploymentId: string,
    options?: WaitOptions<PromotionState>,
  ): Promise<Result<App, MethodError<"services.get"> | WaitTimeoutError | WaitFailedError>>;
}
