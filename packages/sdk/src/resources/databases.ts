import type { WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { DatabasesOperations, type SafeDatabasesOperations } from "./generated/databases.js";
import type { ConnectOptions, ConnectedDatabase, EnsuredDatabase } from "../connect/connect-result.js";
import type { CreateDatabase, Database, EnsureDatabase } from "../generated/types.js";
import type { ConnectMethodError, MethodError } from "../methods/method-error.js";
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

  /**
   * Create a database, wait until it is ready, and return its connection string.
   *
   * If it fails or is aborted after the database exists, the error has `resume`: the id of the database, and `connect()`, which continues.
   *
   * @param body As for `create`.
   * @param options As for `waitUntilReady`. `timeoutMs` limits the whole call. By default, the create has the timeout of the client, and
   * the whole call 600,000.
   * @throws `MgmtError` `connect:aborted`: `options.signal` was aborted when the database existed. Before, the reason is thrown.
   * @throws The errors of `create`, `waitUntilReady` and `connections.create`.
   */
  createAndConnect(body: CreateDatabase, options?: ConnectOptions): Promise<ConnectedDatabase> {
    return this.connectOf("database", body, options);
  }

  /**
   * Create a database, or find the existing one with the same `logicalId` on the branch, wait until it is ready, and return its connection
   * string.
   *
   * Returns the string of the default connection, or, if the service does not report its password, of another connection or of a new one.
   *
   * @param body As for `ensure`.
   * @param options As for `createAndConnect`.
   * @throws `MgmtError` `connect:aborted`: as for `createAndConnect`.
   * @throws The errors of `ensure`, `waitUntilReady` and `connections.create`.
   */
  ensureAndConnect(body: EnsureDatabase, options?: ConnectOptions): Promise<EnsuredDatabase> {
    return this.connectOf("database", body, options, "ensure");
  }
}

/** `client.safe.databases` */
export interface SafeDatabasesResource extends SafeDatabasesOperations {
  /** Wait until a database is ready, as {@link DatabasesResource.waitUntilReady} does. */
  waitUntilReady(
    databaseId: string,
    options?: WaitOptions<Database>,
  ): Promise<Result<Database, MethodError<"databases.get"> | WaitTimeoutError | WaitFailedError>>;
  /** Create a database and return its connection string, as {@link DatabasesResource.createAndConnect} does. */
  createAndConnect(
    body: CreateDatabase,
    options?: ConnectOptions,
  ): Promise<Result<ConnectedDatabase, ConnectMethodError<"databases.create">>>;
  /** Create or find a database and return its connection string, as {@link DatabasesResource.ensureAndConnect} does. */
  ensureAndConnect(
    body: EnsureDatabase,
    options?: ConnectOptions,
  ): Promise<Result<EnsuredDatabase, ConnectMethodError<"databases.ensure">>>;
}
