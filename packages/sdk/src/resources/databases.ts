import { DatabasesOperations } from "../generated/resources/databases.js";
import type { Database } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

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
    const { waitForDatabase } = await this.load();
    return waitForDatabase(databaseId, (each) => this.get(databaseId, each), options);
  }
}
