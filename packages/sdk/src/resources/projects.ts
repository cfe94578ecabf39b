import type { TransferState } from "../errors/wait-errors.js";
import { ProjectsOperations } from "../generated/resources/projects.js";
import type { Project } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.projects`. */
export class ProjectsResource extends ProjectsOperations {
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
    const { waitForTransfer } = await this.load();
    const get = (each: object): Promise<Project> => this.get(id, { ...each, token: recipientAccessToken });
    return waitForTransfer(id, get, options);
  }
}
