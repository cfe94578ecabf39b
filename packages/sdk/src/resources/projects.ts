import type { TransferState, WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { ProjectsOperations, type SafeProjectsOperations } from "./generated/projects.js";
import type { ConnectOptions, ConnectedProject, EnsuredProject } from "../connect/connect-result.js";
import type { CreateProject, EnsureProject, Project } from "../generated/types.js";
import type { ConnectMethodError, MethodError } from "../methods/method-error.js";
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

  /**
   * Create a project, wait until its default database is ready, and return its connection string.
   *
   * ```ts
   * const { project, connectionString } = await client.projects.createAndConnect({ name: "shop" });
   * ```
   *
   * If it fails or is aborted after the project exists, the error has `resume`: the ids of the project and the database, and `connect()`,
   * which continues.
   *
   * @param body As for `create`. `createDatabase` cannot be false.
   * @param options As for `databases.waitUntilReady`. `timeoutMs` limits the whole call. By default, the create has the timeout of the
   * client, and the whole call 600,000.
   * @throws `MgmtError` `connect:aborted`: `options.signal` was aborted when the project existed. Before, the reason is thrown.
   * @throws The errors of `create`, `databases.waitUntilReady` and `connections.create`.
   */
  createAndConnect(body?: CreateProject, options?: ConnectOptions): Promise<ConnectedProject> {
    return this.connectOf("project", body, options);
  }

  /**
   * Create a project, or find the existing one with the same `logicalId`, wait until its default database is ready, and return its
   * connection string.
   *
   * Returns the string of the default connection, or, if the service does not report its password, of another connection or of a new one.
   *
   * @param body As for `ensure`. `createDatabase` cannot be false.
   * @param options As for `createAndConnect`.
   * @throws `MgmtError` `connect:no_database`: the existing project has no database. `connect:aborted`: as for `createAndConnect`.
   * @throws The errors of `ensure`, `databases.waitUntilReady` and `connections.create`.
   */
  ensureAndConnect(body: EnsureProject, options?: ConnectOptions): Promise<EnsuredProject> {
    return this.connectOf("project", body, options, "ensure");
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
  /** Create a project and return its connection string, as {@link ProjectsResource.createAndConnect} does. */
  createAndConnect(
    body?: CreateProject,
    options?: ConnectOptions,
  ): Promise<Result<ConnectedProject, ConnectMethodError<"projects.create">>>;
  /** Create or find a project and return its connection string, as {@link ProjectsResource.ensureAndConnect} does. */
  ensureAndConnect(
    body: EnsureProject,
    options?: ConnectOptions,
  ): Promise<Result<EnsuredProject, ConnectMethodError<"projects.ensure">>>;
}
