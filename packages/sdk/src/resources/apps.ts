import type { EnsureResult } from "../ensure/ensure-result.js";
import { AppsOperations } from "../generated/resources/apps.js";
import type { App, Branch, CreateApp } from "../generated/types.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { RequestOptions } from "../request/call.js";
import { branchesOf } from "../ensure/branches-of.js";

/** `client.apps` */
export class AppsResource extends AppsOperations {
  /**
   * Create an app, or get the one that has its `logicalId` on the branch, or, without one, its name.
   *
   * Answers the app as it is when it is there: what it has otherwise than the body is not changed. Safe against lost
   * answers and racing processes: there is one app afterwards, however often and from wherever this is called.
   *
   * `created` is true exactly when this call's own create was answered. Another with the name, but not the
   * `logicalId`, is the conflict that `create` throws.
   *
   * @param body As of `create`.
   * @param options `timeoutMs` is for all of it together, 60,000 by default.
   * @throws `InvalidArgumentError` for a body without `projectId`, and `logicalId` or `displayName`.
   * @throws `TimeoutError` when it could not be made sure within `timeoutMs`.
   * @throws As `create`, but for the conflict of its identity, and the reason of `options.signal` when that is aborted.
   */
  async ensure(body: CreateApp, options?: RequestOptions): Promise<EnsureResult<App>> {
    const { ensureApp } = await loadOnDemand();
    const branches = (projectId: string, each: RequestOptions) =>
      this.pagesOf<Branch>(branchesOf(projectId), each);
    return ensureApp(this, "/v1/apps", branches, body, options);
  }
}
