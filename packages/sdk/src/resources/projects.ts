import type { EnsureResult } from "../ensure/ensure-result.js";
import { ProjectsOperations } from "../generated/resources/projects.js";
import type { CreateProject, Project, ProjectWithDatabase } from "../generated/types.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { RequestOptions } from "../request/call.js";

/** A project with a declared identity. */
export interface EnsureProject extends CreateProject {
  /** What it is told apart by, in the workspace. 1 to 255 letters, digits, `.`, `_` and `-`, a letter or digit first. */
  logicalId: string;
}

/** `client.projects` */
export class ProjectsResource extends ProjectsOperations {
  /**
   * Create a project, or get the one that has its `logicalId` in the workspace.
   *
   * Answers the project as it is when it is there: what it has otherwise than the body is not changed. Safe against lost
   * answers and racing processes: there is one project afterwards, however often and from wherever this is called.
   *
   * `created` is true exactly when this call's own create was answered. Otherwise the connection strings are
   * absent, also when the answer that had them was lost: `connections.rotate` gives new ones.
   *
   * @param body As of `create`, with a `logicalId`.
   * @param options `timeoutMs` is for all of it together, 60,000 by default.
   * @throws `InvalidArgumentError` for a body without `logicalId`.
   * @throws `TimeoutError` when it could not be made sure within `timeoutMs`.
   * @throws As `create`, but for the conflict of its identity, and the reason of `options.signal` when that is aborted.
   */
  async ensure(
    body: EnsureProject,
    options?: RequestOptions,
  ): Promise<EnsureResult<ProjectWithDatabase, Project>> {
    const { ensureProject } = await loadOnDemand();
    return ensureProject(this, body, options);
  }
}
