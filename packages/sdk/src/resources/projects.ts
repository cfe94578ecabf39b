import type { TransferState, WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { ProjectsOperations, type SafeProjectsOperations } from "./generated/projects.js";
import type { Project } from "../generated/types.js";
import type { MethodError } from "../methods/method-error.js";
import type { safeKey } from "../methods/resource.js";
import type { Result } from "../methods/safe.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.projects`. */
export class ProjectsResource extends ProjectsOperations {
  declare readonly [safeKey]: SafeProjectsResource;

  /**
   * Wait until a project is transferred.
   *
   * Polls the project as the recipient of `transfer` until the recipient can read it. The caller's own credential cannot
   * read a project that it has transferred.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param id Id of the project.
   * @param recipientAccessToken The access token of the recipient, as for `transfer`.
   * @param options `timeoutMs` defaults to 600,000.
   * @throws `WaitTimeoutError` `wait:timeout`: the recipient cannot read the project at the deadline.
   * @throws The errors of `get` except 404, and the reason of `options.signal` if it is aborted.
   */
  async waitUntilTransferred(
    id: string,
    recipientAccessToken: string,
    options?: WaitOptions<TransferState>,
  ): Promise<Project> {
    const get = (requestOptions: object): Promise<Project> =>
      this.get(id, { ...requestOptions, token: recipientAccessToken });
    return (await this.core().load()).waitForTransfer(id, get, options);
  }
}

/** `client.safe.projects` */
export interface SafeProjectsResource extends SafeProjectsOperations {
  /** Wait until a project is transferred, as {@link ProjectsResource.waitUntilTransferred} does. */
  waitUntilTransferred(
    id: string,
    recipientAccessToken: string,
    options?: WaitOptions<TransferState>,
  ): Promise<Result<Project, MethodError<"projects.get"> | WaitTimeoutError | WaitFailedError>>;
}
