import {
  type DatabaseAddress,
  type DatabaseCredential,
  type DatabaseEngine,
  type DatabaseSource,
  DatabaseUnavailableError,
} from "@mgmt/engine";
import type { Sessions } from "@mgmt/engine/internal";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import type { ServerLimits } from "./policy/connection-limits.js";
import { toUnavailableError } from "./connection/unavailable.js";
import {
  type AdminConnection,
  isConcurrentChangeError,
  quoteIdentifier,
  isMissingObjectError,
  isMissingDatabaseError,
} from "./connection/admin-connection.js";
import { Catalog } from "./databases/catalog.js";
import type { DatabaseCopier } from "./databases/database-copier.js";
import type { RoleRemover } from "./databases/role-remover.js";
import { RunningFills } from "./databases/running-fills.js";
import { TerminationReasons } from "./connection/termination-reasons.js";
import { type LoginRejectedError, terminationErrors } from "./connection/login-rejected.js";
import type { Logins } from "./logins/logins.js";
import { toBackupName, toBackupSuffix, toDatabaseName, toTenantDatabaseName } from "./policy/names.js";
import { type EndpointKind, resolveEndpoints } from "./policy/address.js";
import { type RoleStatements, createRoleStatements, joinRoleStatements } from "./policy/role-statements.js";
import { ClosedDatabases } from "./logins/closed-databases.js";
import type { WaitLimits } from "./logins/gate.js";
import { PendingLogins } from "./logins/pending-logins.js";
import { Quarantine } from "./connection/quarantine.js";
import { ClusterRepairer } from "./repair/cluster-repairer.js";
import type { PreparedDatabases } from "./databases/prepared-databases.js";
import { StalledWorkReporter } from "./databases/stalled-work.js";

/** How often to try to drop a database that another process drops at the same time. */
const maxDropAttempts = 5;

/** How long clients may take to learn that their sessions ended before a copy, in milliseconds. */
const copyReasonLifetimeMs = 1_000;

/** Thrown when a database is dropped before work on it has finished. */
export class DatabaseDroppedError extends Error {}

/**
 * Manages real Postgres databases for the API.
 *
 * A database is filled under a temporary name and renamed in the transaction that creates its roles, so a database named
 * after its id is always complete.
 */
export class PostgresDatabases implements DatabaseEngine {
  /** Clients that connect before their database exists wait here. */
  readonly #pendingLogins = new PendingLogins();
  /** Clients that connect while their database accepts no connections wait here. */
  readonly #closedDatabases = new ClosedDatabases();
  readonly #admin: AdminConnection;
  readonly #catalog: Catalog;
  readonly #copier: DatabaseCopier;
  readonly #roleRemover: RoleRemover;
  readonly #logins: Logins;
  readonly #preparedDatabases: PreparedDatabases;
  /** Serializes the work of this process on a database. Callers hold locks that serialize it with work of other processes. */
  readonly #mutex = new KeyedMutex();
  readonly #quarantine: Quarantine;
  readonly #repairer: ClusterRepairer;
  readonly #stalledWork: StalledWorkReporter;
  readonly #runningFills = new RunningFills();
  readonly #terminationReasons: TerminationReasons;

  constructor(options: {
    admin: AdminConnection;
    copier: DatabaseCopier;
    roleRemover: RoleRemover;
    logins: Logins;
    preparedDatabases: PreparedDatabases;
    /** The reasons for which the guard terminates sessions. Default: none. */
    terminationReasons?: TerminationReasons;
    /** Default: a new one. */
    quarantine?: Quarantine;
    sessions: Pick<Sessions, "runExclusively"> | undefined;
    /** Receives a message about each repair that Postgres rejects, and when work waits for a resource of Postgres. */
    onLog?: ((line: string) => void) | undefined;
    /** A directory on the disk of Postgres, for messages. Default: unknown. */
    directory?: string | undefined;
  }) {
    this.#admin = options.admin;
    this.#catalog = new Catalog(options.admin);
    this.#copier = options.copier;
    this.#roleRemover = options.roleRemover;
    this.#terminationReasons = options.terminationReasons ?? new TerminationReasons();
    this.#copier.closeWhile = (database, callback) => this.#closeWhile(database, callback);
    this.#logins = options.logins;
    this.#preparedDatabases = options.preparedDatabases;
    const { sessions, onLog = () => undefined } = options;
    const withLock = async (name: string, callback: () => Promise<void>): Promise<void> => {
      const withLocalLock = (): Promise<void> => this.#mutex.run([name], callback);
      // The session lock excludes the other processes.
      await (sessions ? sessions.runExclusively([`database ${name}`], withLocalLock) : withLocalLock());
    };
    this.#logins.withLock = withLock;
    this.#quarantine = options.quarantine ?? new Quarantine(options.admin, this.#terminationReasons, onLog);
    this.#quarantine.onReopen = (name) => this.#repairer.scheduleReopening(name);
    this.#copier.mustStayClosed = (name) => this.#quarantine.has(name);
    this.#repairer = new ClusterRepairer(options.admin, options.copier, options.roleRemover, {
      withLock,
      mustStayClosed: (name) => this.#quarantine.has(name),
      isClusterShared: sessions !== undefined,
      report: onLog,
    });
    this.#stalledWork = new StalledWorkReporter(onLog, options.directory);
  }

  /** Schedules a repair of databases and roles that interrupted work has left behind, including work of other processes. */
  scheduleRepair(): void {
    this.#repairer.scheduleRepair();
  }

  /** Ends background work. */
  async close(): Promise<void> {
    await Promise.all([this.#logins.close(), this.#quarantine.close()]);
    await this.#repairer.close();
  }

  getEndpoints(databaseId: string): Record<EndpointKind, DatabaseAddress> {
    const database = toDatabaseName(databaseId);
    const { direct, pooled, accelerate } = resolveEndpoints(this.#admin.cluster.address);
    return {
      direct: { ...direct, database },
      pooled: { ...pooled, database },
      accelerate: { ...accelerate, database },
    };
  }

  /**
   * Returns the database of a login role; undefined when the role is not a login of a database. Waits for a database that is
   * being created, copied or restored.
   *
   * @throws DatabaseUnavailableError; LoginRejectedError when the database is not open in time; the reason of the signal.
   */
  findDatabase(user: string, limits: WaitLimits): string | undefined | Promise<string | undefined> {
    const resolveWhenOpen = (database: string | undefined): string | undefined | Promise<string> =>
      database === undefined ? undefined : this.#closedDatabases.resolveWhenOpen(database, limits);
    const database =
      this.#logins.getCachedDatabase(user) ??
      this.#pendingLogins.waitForDatabase(user, limits) ??
      this.#logins.findDatabase(user);
    return database instanceof Promise ? database.then(resolveWhenOpen) : resolveWhenOpen(database);
  }

  /**
   * Returns the reason for which the platform currently terminates or rejects sessions of a database; undefined when it does neither.
   *
   * @param database its name in Postgres.
   */
  getTerminationReason(database: string): LoginRejectedError | undefined {
    return this.#terminationReasons.get(database);
  }

  announce(databaseId: string, credentials: readonly DatabaseCredential[]): void {
    this.#pendingLogins.add(toDatabaseName(databaseId), credentials);
  }

  /**
   * Creates a database with its logins.
   *
   * @throws DatabaseDroppedError when the database is dropped before it is complete.
   */
  async create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly DatabaseCredential[],
    cancelSignal?: AbortSignal,
  ): Promise<void> {
    const name = toDatabaseName(databaseId);
    this.#pendingLogins.add(name, credentials);
    const sourceNames = source.type === "empty" ? [] : [toDatabaseName(source.databaseId)];
    const createDatabase = async (signal: AbortSignal): Promise<void> => {
      const [currentState, loginStatements] = await Promise.all([
        this.#catalog.inspectOwn(name),
        // At the same time as the query, because deriving verifiers takes as long.
        this.#logins.createLoginStatements(name, credentials),
      ]);
      if (currentState.database === "invalid") await this.#copier.freeName(name);
      if (currentState.database === "valid") {
        for (const credential of credentials) await this.#logins.grant(name, credential);
        return;
      }
      for (let isCreated = false; !isCreated;) {
        const { temporaryName, contentOwner } = await this.#createUnderTemporaryName(name, source, signal);
        try {
          signal.throwIfAborted();
          if (currentState.hasRole) await this.#logins.dropAllLogins(name);
          await this.#completeDatabase(temporaryName, {
            name,
            loginStatements,
            hasRole: currentState.hasRole,
            contentOwner,
          });
          for (const credential of credentials) this.#logins.cacheCredential(name, credential);
          isCreated = true;
        } catch (error) {
          // Another process has taken the prepared database.
          if (source.type === "empty" && isMissingDatabaseError(error)) continue;
          await this.#copier.drop(temporaryName);
          throw error;
        }
      }
    };
    await this.#pendingLogins.runCreation(name, cancelSignal, () =>
      this.#fill(name, { sourceNames, cancelSignal }, createDatabase),
    );
  }

  async drop(databaseId: string): Promise<void> {
    const name = toDatabaseName(databaseId);
    this.#runningFills.cancel(name, new DatabaseDroppedError(databaseId));
    this.#pendingLogins.rejectClients(name);
    await this.#withLockUntilDone([name], async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await this.#dropEverything(name);
          return;
        } catch (error) {
          if (!isMissingObjectError(error) && !isConcurrentChangeError(error)) throw error;
          // Another process, which has lost its locks, is still dropping the same database.
          if (attempt === maxDropAttempts) throw toUnavailableError(error);
        }
      }
    });
  }

  async #dropEverything(name: string): Promise<void> {
    await this.#copier.drop(name);
    for (const backupDatabase of await this.#catalog.findDatabasesLike(`${name}.%`))
      await this.#copier.drop(backupDatabase);
    await this.#logins.dropAllLogins(name);
    if ((await this.#catalog.inspect(name)).hasRole) await this.#roleRemover.dropRole(name, name);
    await this.#roleRemover.dropRetiredRoles();
  }

  /**
   * Restores a backup to a new database, then swaps it with the old one, which terminates all sessions.
   *
   * @throws DatabaseDroppedError when the database is dropped before the swap.
   */
  async restore(databaseId: string, backupId: string, cancelSignal?: AbortSignal): Promise<void> {
    const name = toDatabaseName(databaseId);
    const backupDatabase = await this.#catalog.requireBackupDatabase(backupId);
    const staging = this.#copier.installation.toStagingName(name);
    await this.#fill(
      name,
      { sourceNames: [toTenantDatabaseName(backupDatabase)], cancelSignal },
      async (signal) => {
        for (const leftoverName of [staging, this.#copier.installation.toReplacedName(name)])
          await this.#copier.freeName(leftoverName);
        try {
          await this.#copier.copy(backupDatabase, staging, signal);
          await this.#copier.transferOwnership(staging, toTenantDatabaseName(backupDatabase), name);
          await this.#copier.copySettings(name, staging, name);
          signal.throwIfAborted();
          await this.#swapDatabases(name, staging);
        } finally {
          await this.#copier.drop(staging);
        }
        await this.#dropReplaced(name);
      },
    );
  }

  async grant(databaseId: string, credential: DatabaseCredential): Promise<void> {
    const name = toDatabaseName(databaseId);
    await this.#withLock([name], () => this.#logins.grant(name, credential));
  }

  async revoke(databaseId: string, connectionId: string): Promise<void> {
    const name = toDatabaseName(databaseId);
    await this.#withLock([name], () => this.#logins.revoke(name, connectionId));
  }

  async backup(databaseId: string, backupId: string): Promise<{ size: number }> {
    const name = toDatabaseName(databaseId);
    const backupDatabase = toBackupName(databaseId, backupId);
    return this.#withLockUntilDone([name], async () => {
      const { database } = await this.#catalog.inspectOwn(backupDatabase);
      // An interrupted drop has left an invalid database.
      if (database === "invalid") await this.#copier.freeName(backupDatabase);
      if (database !== "valid") await this.#createBackup(backupDatabase, name);
      return { size: await this.#catalog.readSize(backupDatabase) };
    });
  }

  async dropBackup(backupId: string): Promise<void> {
    for (const backupDatabase of await this.#catalog.findDatabasesLike(`%${toBackupSuffix(backupId)}`)) {
      await this.#withLock([toTenantDatabaseName(backupDatabase)], () => this.#copier.drop(backupDatabase));
    }
  }

  async hasBackup(backupId: string): Promise<boolean> {
    return (await this.#catalog.findBackupDatabase(backupId)) !== undefined;
  }

  /**
   * Counts transactions as operations. Postgres resets the count after a restore and after a crash. A database that is dropped
   * at the same time uses nothing.
   */
  readUsage(databaseId: string): Promise<{ bytes: number; operations: number }> {
    return this.#catalog.readUsage(toDatabaseName(databaseId));
  }

  /** Runs a callback while no other one uses these databases. */
  async #withLock<T>(names: readonly string[], callback: () => Promise<T>): Promise<T> {
    try {
      return await this.#mutex.run(names, callback);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) this.#repairer.scheduleRepair();
      throw error;
    }
  }

  /**
   * Runs a callback that a job repeats until it succeeds, under the locks of these databases. Logs when work on the first database waits for
   * a resource of Postgres.
   */
  #withLockUntilDone<T>(names: readonly [string, ...string[]], callback: () => Promise<T>): Promise<T> {
    return this.#stalledWork.runTracked(names[0], () => this.#withLock(names, callback));
  }

  async #fill(
    name: string,
    { sourceNames, cancelSignal }: { sourceNames: readonly string[]; cancelSignal: AbortSignal | undefined },
    callback: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.#runningFills.run(name, cancelSignal, (signal) =>
      this.#withLockUntilDone([name, ...sourceNames], async () => {
        signal.throwIfAborted();
        await callback(signal);
      }),
    );
  }

  /**
   * Returns the name of a database that has the content of the source and does not allow connections, and the name of the tenant's
   * database whose content it is; undefined when it is empty.
   */
  async #createUnderTemporaryName(
    name: string,
    source: DatabaseSource,
    signal: AbortSignal,
  ): Promise<{ temporaryName: string; contentOwner: string | undefined }> {
    if (source.type === "empty")
      return { temporaryName: await this.#preparedDatabases.acquire(), contentOwner: undefined };
    const staging = this.#copier.installation.toStagingName(name);
    await this.#copier.freeName(staging);
    const sourceName =
      source.type === "backup"
        ? await this.#catalog.requireBackupDatabase(source.backupId)
        : toDatabaseName(source.databaseId);
    await this.#copier.copy(sourceName, staging, signal);
    return { temporaryName: staging, contentOwner: toTenantDatabaseName(sourceName) };
  }

  /** Copies the database under a temporary name, so that a backup is always complete. */
  async #createBackup(backupDatabase: string, name: string): Promise<void> {
    const staging = this.#copier.installation.toStagingName(name);
    await this.#copier.freeName(staging);
    try {
      await this.#copier.copy(name, staging);
      await this.#admin.runScript([
        `alter database ${quoteIdentifier(staging)} rename to ${quoteIdentifier(backupDatabase)}`,
      ]);
    } finally {
      await this.#copier.drop(staging);
    }
  }

  /**
   * Creates the owner role of a copy first, because it must own the objects of the copy before anyone can connect. An empty
   * database has no objects of other roles.
   */
  async #completeDatabase(
    temporaryName: string,
    {
      name,
      loginStatements,
      hasRole,
      contentOwner,
    }: {
      name: string;
      loginStatements: readonly RoleStatements[];
      hasRole: boolean;
      contentOwner: string | undefined;
    },
  ): Promise<void> {
    const ownerStatements = hasRole ? [] : [createRoleStatements(this.#copier.installation, name, "nologin")];
    if (contentOwner !== undefined) {
      if (!hasRole) await this.#admin.runScript(joinRoleStatements(...ownerStatements));
      await this.#copier.transferOwnership(temporaryName, contentOwner, name);
    }
    const { memberships } = this.#admin.cluster;
    await this.#admin.runScript([
      ...joinRoleStatements(...(contentOwner === undefined ? ownerStatements : []), ...loginStatements),
      `alter database ${quoteIdentifier(temporaryName)} rename to ${quoteIdentifier(name)}`,
      // The memberships are added and removed in this transaction, so that nothing else sees them.
      ...(memberships === undefined ? [] : [memberships.join([name])]),
      ...buildOpenToOwnerStatements(name, this.#admin.limits),
      ...(memberships === undefined ? [] : [memberships.leave([name])]),
    ]);
  }

  #swapDatabases(name: string, staging: string): Promise<void> {
    return this.#closeWhile(name, () => this.#replaceDatabase(name, staging));
  }

  async #closeWhile(name: string, callback: () => Promise<void>): Promise<void> {
    const terminationReason = terminationErrors.copied(name);
    this.#terminationReasons.set(name, terminationReason, Infinity);
    try {
      await this.#closedDatabases.closeWhile(name, callback);
    } finally {
      // Clients may learn a moment later that their sessions were terminated.
      this.#terminationReasons.set(name, terminationReason, copyReasonLifetimeMs);
    }
  }

  #replaceDatabase(name: string, staging: string): Promise<void> {
    return this.#admin.memberships.runWith([name], () => this.#replaceAsOwner(name, staging));
  }

  async #replaceAsOwner(name: string, staging: string): Promise<void> {
    await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections false`]);
    try {
      await this.#admin.runWhenUnused(name, () =>
        this.#admin.runScript([
          `alter database ${quoteIdentifier(name)} rename to ${quoteIdentifier(this.#copier.installation.toReplacedName(name))}`,
          `alter database ${quoteIdentifier(staging)} rename to ${quoteIdentifier(name)}`,
          ...buildOpenToOwnerStatements(name, this.#admin.limits),
        ]),
      );
    } catch (error) {
      await this.#admin.runScript([`alter database ${quoteIdentifier(name)} allow_connections true`]);
      throw error;
    }
  }

  /**
   * Drops the database that a restore has replaced. Does not fail when the connection is lost, because the restore is complete and must not
   * be repeated: a repair drops the database later.
   */
  async #dropReplaced(name: string): Promise<void> {
    try {
      await this.#copier.drop(this.#copier.installation.toReplacedName(name));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      this.#repairer.scheduleRepair();
    }
  }
}

/** Returns the statements that allow the members of the owner role, and no one else, to connect. */
const buildOpenToOwnerStatements = (name: string, { connectionsPerDatabase }: ServerLimits): string[] => [
  `alter database ${quoteIdentifier(name)} owner to ${quoteIdentifier(name)}`,
  `revoke all on database ${quoteIdentifier(name)} from public`,
  `alter database ${quoteIdentifier(name)} allow_connections true connection limit ${String(connectionsPerDatabase)}`,
];
