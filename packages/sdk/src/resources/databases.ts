import type { EnsureResult } from "../ensure/ensure-result.js";
import { DatabasesOperations } from "../generated/resources/databases.js";
import type { Branch, CreateDatabase, Database, DatabaseWithSecrets } from "../generated/types.js";
import { loadOnDemand } from "../load-on-demand.js";
import { branchesOf } from "../ensure/branches-of.js";
import type { RequestOptions } from "../request/call.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** A database with a declared identity. */
export type EnsureDatabase = CreateDatabase & {
  /** What it is told apart by, on the branch. 1 to 255 letters, digits, `.`, `_` and `-`, a letter or digit first. */
  logicalId: string;
};

/** `client.databases` */
export class DatabasesResource extends DatabasesOperations {
  /**
   * Wait until a database is ready.
   *
   * Polls it after a create or a restore, until it can be opened (§ Database life cycle). What it answers has no connection
   * strings: those stand in the answer of the create.
   *
   * Pauses between looks grow to at most 5 seconds. A look that fails with what may pass (no answer, 408, 429, 5xx) ends
   * nothing for a minute.
   *
   * @param databaseId Id of the database.
   * @param options `timeoutMs` is 600,000 by default.
   * @throws `WaitFailedError` `database:failed`.
   * @throws `WaitTimeoutError` `wait:timeout`: it is still provisioning or recovering at the deadline.
   * @throws `DatabaseNotFoundError` 404: there is no such database, or no longer.
   * @throws As `get`, and the reason of `options.signal` when that is aborted.
   */
  async waitUntilReady(databaseId: string, options?: WaitOptions<Database>): Promise<Database> {
    const { waitForDatabase } = await loadOnDemand();
    return waitForDatabase(databaseId, (each) => this.get(databaseId, each), options);
  }

  /**
   * Create a database, or get the one that has its `logicalId` on the branch.
   *
   * Answers the database as it is when it is there: what it has otherwise than the body is not changed. Safe against lost
   * answers and racing processes: there is one database afterwards, however often and from wherever this is called.
   *
   * `created` is true exactly when this call's own create was answered. Otherwise the connection strings are
   * absent, also when the answer that had them was lost: `connections.rotate` gives new ones.
   *
   * @param body As of `create`, with a `logicalId`.
   * @param options `timeoutMs` is for all of it together, 60,000 by default.
   * @throws `InvalidArgumentError` for a body without `projectId` and `logicalId`.
   * @throws `TimeoutError` when it could not be made sure within `timeoutMs`.
   * @throws As `create`, but for the conflict of its identity, and the reason of `options.signal` when that is aborted.
   */
  async ensure(
    body: EnsureDatabase,
    options?: RequestOptions,
  ): Promise<EnsureResult<DatabaseWithSecrets, Database>> {
    const { ensureDatabase } = await loadOnDemand();
    const branches = (projectId: string, each: RequestOptions) =>
      this.pagesOf<Branch>(branchesOf(projectId), each);
    return ensureDatabase(this, branches, body, options);
  }
}
