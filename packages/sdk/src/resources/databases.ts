import type { WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { DatabasesOperations, type SafeDatabasesOperations } from "./generated/databases.js";
import type { Database } from "../generated/types.js";
import type { MethodError } from "../methods/method-error.js";
import type { safeKey } from "../methods/resource.js";
import type { Result } from "../methods/safe.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.databases`. */
export class DatabasesResource extends DatabasesOperations {
  declare readonly [safeKey]: SafeDatabasesResource;

  /**
   * Wait until a database is ready.
   *
   * Polls the database after a create or a restore until it accepts connections. The result has no connection strings:
   * only the response to the create request contains them. The result may have passwords; see `Connection.directConnection`.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param databaseId Id of the database.
   * @param options `timeoutMs` defaults to 600,000.
   * @throws `WaitFailedError` `database:failed`.
   * @throws `WaitTimeoutError` `wait:timeout`: the database is still provisioning or recovering at the deadline.
   * @throws `DatabaseNotFoundError` 404: the database does not exist or was deleted.
   * @throws The errors of `get`, and the reason of `options.signal` if it is aborted.
   */
  async waitUntilReady(databaseId: string, options?: WaitOptions<Database>): Promise<Database> {
    return (await this.core().load()).waitForDatabase(
      databaseId,
      (requestOptions) => this.get(databaseId, requestOptions),
      options,
    );
  }
}

/** `client.safe.databases` */
export interface SafeDatabasesResource extends SafeDatabasesOperations {
  /** Wait until a database is ready, as {@link DatabasesResource.waitUntilReady} does. */
  waitUntilReady(
    databaseId: string,
    options?: WaitOptions<Database>,
  ): Promise<Result<Database, MethodError<"databases.get"> | WaitTimeoutError | WaitFailedError>>;
}
