import {
  type DatabaseAddress,
  type DatabaseCredential,
  type DatabaseEngine,
  type DatabaseSource,
  DatabaseUnavailableError,
} from "@mgmt/engine";
import { KeyedMutex, type Sessions } from "@mgmt/engine/internal";
import { connectionLimits } from "./connection/connection-limits.js";
import { toUnavailableError } from "./connection/unavailable.js";
import { type Admin, quoteIdentifier, isMissing, isMissingDatabase } from "./connection/admin-connection.js";
import { Catalog } from "./databases/catalog.js";
import type { Copies } from "./databases/database-copier.js";
import { RunningFills } from "./databases/running-fills.js";
import { EndReasons } from "./connection/end-reasons.js";
import { type LoginRefusedError, endReasons } from "./connection/login-refused.js";
import type { Logins } from "./logins/logins.js";
import {
  backupName,
  backupSuffix,
  databaseName,
  ownerOf,
  replacedName,
  stagingName,
} from "./policy/names.js";
import { type EndpointKind, endpointsOf } from "./policy/address.js";
import { createRole } from "./policy/ownership.js";
import { ClosedDatabases } from "./logins/closed-databases.js";
import type { WaitLimits } from "./logins/gate.js";
import { PendingLogins } from "./logins/pending-logins.js";
import { Recovery } from "./repair/recovery.js";
import { isConcurrentChange } from "./connection/role-sessions.js";
import type { PreparedDatabases } from "./databases/prepared-databases.js";
import { StalledWorkReporter } from "./databases/stalled-work.js";

/** How often to try to drop a database that another process drops at the same time. */
const maxDropAttempts = 5;

/** How long clients may take to learn that their sessions ended before a copy, in milliseconds. */
const endNotice = 1_000;

/** Thrown when a database is dropped before work on it has finished. */
export class DatabaseDropped extends Error {}

/**
 * Manages real Postgres databases for the API.
 *
 * A database is filled under a temporary name and renamed in the transaction that creates its roles, so a database named
 * after its id is always complete.
 */
export class PostgresDatabases implements DatabaseEngine {
  /** Clients that connect before their database exists wait here. */
  readonly #pending = new PendingLogins();
  /** Clients that connect while their database accepts no connections wait here. */
  readonly #closed = new ClosedDatabases();
  readonly #admin: Admin;
  readonly #catalog: Catalog;
  readonly #copies: Copies;
  readonly #logins: Logins;
  readonly #preparedDatabases: PreparedDatabases;
  /** Keeps work of this process apart. Callers hold locks that keep it apart from work of other processes. */
  readonly #mutex = new KeyedMutex();
  readonly #recovery: Recovery;
  readonly #waiting: StalledWorkReporter;
  readonly #fillings = new RunningFills();
  readonly #reasons: EndReasons;

  constructor(parts: {
    admin: Admin;
    copies: Copies;
    logins: Logins;
    preparedDatabases: PreparedDatabases;
    /** Why the guard ends sessions. Default: it ends none. */
    reasons?: EndReasons;
    sessions: Pick<Sessions, "exclusively"> | undefined;
    /** Receives a message about each repair that Postgres refuses, and when work waits for a resource of Postgres. */
    onLog?: ((line: string) => void) | undefined;
    /** On the disk of Postgres, for messages. Default: unknown. */
    directory?: string | undefined;
  }) {
    this.#admin = parts.admin;
    this.#catalog = new Catalog(parts.admin);
    this.#copies = parts.copies;
    this.#reasons = parts.reasons ?? new EndReasons();
    this.#copies.whileClosed = (database, work) => this.#whileClosed(database, work);
    this.#logins = parts.logins;
    this.#preparedDatabases = parts.preparedDatabases;
    const { sessions, onLog = () => undefined } = parts;
    const withLock = async (name: string, work: () => Promise<void>): Promise<void> => {
      const withLocalLock = (): Promise<void> => this.#mutex.run([name], work);
      // The lock of work on the database, in all processes.
      await (sessions ? sessions.exclusively([`database ${name}`], withLocalLock) : withLocalLock());
    };
    this.#recovery = new Recovery(parts.admin, parts.copies, withLock, onLog);
    this.#waiting = new StalledWorkReporter(onLog, parts.directory);
  }

  /** Ends background work. */
  close(): Promise<void> {
    return this.#recovery.close();
  }

  endpoints(databaseId: string): Record<EndpointKind, DatabaseAddress> {
    const database = databaseName(databaseId);
    const { direct, pooled, accelerate } = endpointsOf(this.#admin.cluster.address);
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
   * @throws DatabaseUnavailableError; LoginRefused when the database is not open in time; the reason of the signal.
   */
  databaseOf(user: string, limits: WaitLimits): string | undefined | Promise<string | undefined> {
    const whenOpen = (database: string | undefined): string | undefined | Promise<string> =>
      database === undefined ? undefined : this.#closed.whenOpen(database, limits);
    const owner =
      this.#logins.known(user) ?? this.#pending.databaseOf(user, limits) ?? this.#logins.databaseOf(user);
    return owner instanceof Promise ? owner.then(whenOpen) : whenOpen(owner);
  }

  /**
   * Returns why the platform ends sessions of a database now, or lets it have no new ones; undefined when it does not.
   *
   * @param database its name in Postgres.
   */
  reasonOf(database: string): LoginRefusedError | undefined {
    return this.#reasons.of(database);
  }

  announce(databaseId: string, credentials: readonly DatabaseCredential[]): void {
    this.#pending.add(databaseName(databaseId), credentials);
  }

  /**
   * Creates a database with its logins.
   *
   * @throws DatabaseDropped when the database is dropped before it is complete.
   */
  async create(
    databaseId: string,
    source: DatabaseSource,
    credentials: readonly DatabaseCredential[],
    canceled?: AbortSignal,
  ): Promise<void> {
    const name = databaseName(databaseId);
    this.#pending.add(name, credentials);
    const sources = source.type === "empty" ? [] : [databaseName(source.databaseId)];
    const create = async (signal: AbortSignal): Promise<void> => {
      const [existing, logins] = await Promise.all([
        this.#catalog.find(name),
        // Deriving verifiers takes as long as a statement.
        this.#logins.statements(name, credentials),
      ]);
      if (existing.database === "invalid") await this.#copies.drop(name);
      if (existing.database === "valid") {
        for (const credential of credentials) await this.#logins.grant(name, credential);
        return;
      }
      for (let isCreated = false; !isCreated;) {
        const { filled, copyOf } = await this.#createFrom(name, source, signal);
        try {
          signal.throwIfAborted();
          if (existing.role) await this.#logins.dropAll(name);
          await this.#complete(filled, {
            name,
            logins,
            hasRole: existing.role,
            copyOf,
          });
          for (const credential of credentials) this.#logins.remember(name, credential);
          isCreated = true;
        } catch (error) {
          // Another process has taken the prepared database.
          if (source.type === "empty" && isMissingDatabase(error)) continue;
          await this.#copies.drop(filled);
          throw error;
        }
      }
    };
    await this.#pending.during(name, canceled, () => this.#fill(name, { sources, canceled }, create));
  }

  async drop(databaseId: string): Promise<void> {
    const name = databaseName(databaseId);
    this.#fillings.cancel(name, new DatabaseDropped(databaseId));
    this.#pending.fail(name);
    await this.#withLockUntilDone([name], async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await this.#dropEverything(name);
          return;
        } catch (error) {
          if (!isMissing(error) && !isConcurrentChange(error)) throw error;
          // A process that has lost its locks is still dropping the same database.
          if (attempt === maxDropAttempts) throw toUnavailableError(error);
        }
      }
    });
  }

  async #dropEverything(name: string): Promise<void> {
    await this.#copies.drop(name);
    for (const backup of await this.#catalog.findDatabasesLike(`${name}.%`)) await this.#copies.drop(backup);
    await this.#logins.dropAll(name);
    if ((await this.#catalog.find(name)).role) await this.#copies.dropRole(name, name);
    await this.#copies.dropRetiredRoles();
  }

  /**
   * Restores a backup to a new database, then swaps it with the old one, which ends all sessions.
   *
   * @throws DatabaseDropped when the database is dropped before the swap.
   */
  async restore(databaseId: string, backupId: string, canceled?: AbortSignal): Promise<void> {
    const name = databaseName(databaseId);
    const backup = await this.#catalog.backup(backupId);
    const staging = stagingName(name);
    await this.#fill(name, { sources: [ownerOf(backup)], canceled }, async (signal) => {
      for (const leftoverName of [staging, replacedName(name)]) await this.#copies.drop(leftoverName);
      try {
        await this.#copies.copy(backup, staging, signal);
        await this.#copies.transferOwnership(staging, ownerOf(backup), name);
        await this.#copies.copySettings(name, staging, "setrole <> 0");
        signal.throwIfAborted();
        await this.#swap(name, staging);
      } finally {
        await this.#copies.drop(staging);
      }
      await this.#dropReplaced(name);
    });
  }

  async grant(databaseId: string, credential: DatabaseCredential): Promise<void> {
    const name = databaseName(databaseId);
    await this.#withLock([name], () => this.#logins.grant(name, credential));
  }

  async revoke(databaseId: string, connectionId: string): Promise<void> {
    const name = databaseName(databaseId);
    await this.#withLock([name], () => this.#logins.revoke(name, connectionId));
  }

  async backup(databaseId: string, backupId: string): Promise<{ size: number }> {
    const name = databaseName(databaseId);
    const backup = backupName(databaseId, backupId);
    return this.#withLockUntilDone([name], async () => {
      const { database } = await this.#catalog.find(backup);
      // Left by an interrupted drop.
      if (database === "invalid") await this.#copies.drop(backup);
      if (database !== "valid") await this.#copyTo(backup, name);
      return { size: await this.#catalog.size(backup) };
    });
  }

  async dropBackup(backupId: string): Promise<void> {
    for (const backup of await this.#catalog.findDatabasesLike(`%${backupSuffix(backupId)}`)) {
      await this.#withLock([ownerOf(backup)], () => this.#copies.drop(backup));
    }
  }

  async hasBackup(backupId: string): Promise<boolean> {
    return (await this.#catalog.findBackup(backupId)) !== undefined;
  }

  /**
   * Counts transactions as operations. Postgres resets the count after a restore and after a crash. A database that is dropped
   * at the same time uses nothing.
   */
  usage(databaseId: string): Promise<{ bytes: number; operations: number }> {
    return this.#catalog.usage(databaseName(databaseId));
  }

  /** Does the work when no other work uses these databases. */
  async #withLock<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await this.#mutex.run(names, work);
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) this.#recovery.begin();
      throw error;
    }
  }

  /**
   * Does work on the first of these databases that a job repeats until Postgres can do it. The operator reads when it has to
   * wait for a resource.
   */
  #withLockUntilDone<T>(names: readonly [string, ...string[]], work: () => Promise<T>): Promise<T> {
    return this.#waiting.track(names[0], () => this.#withLock(names, work));
  }

  async #fill(
    name: string,
    { sources, canceled }: { sources: readonly string[]; canceled: AbortSignal | undefined },
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.#fillings.run(name, canceled, (signal) =>
      this.#withLockUntilDone([name, ...sources], async () => {
        signal.throwIfAborted();
        await work(signal);
      }),
    );
  }

  /**
   * Returns the name of a database that has the content of the source and does not allow connections, and the name of the tenant's
   * database whose content it is; undefined when it is empty.
   */
  async #createFrom(
    name: string,
    source: DatabaseSource,
    signal: AbortSignal,
  ): Promise<{ filled: string; copyOf: string | undefined }> {
    if (source.type === "empty") return { filled: await this.#preparedDatabases.take(), copyOf: undefined };
    const staging = stagingName(name);
    await this.#copies.drop(staging);
    const from =
      source.type === "backup"
        ? await this.#catalog.backup(source.backupId)
        : databaseName(source.databaseId);
    await this.#copies.copy(from, staging, signal);
    return { filled: staging, copyOf: ownerOf(from) };
  }

  /** Copies the database under a temporary name, so that a backup is always complete. */
  async #copyTo(backup: string, name: string): Promise<void> {
    const staging = stagingName(name);
    await this.#copies.drop(staging);
    try {
      await this.#copies.copy(name, staging);
      await this.#admin.script([
        `alter database ${quoteIdentifier(staging)} rename to ${quoteIdentifier(backup)}`,
      ]);
    } finally {
      await this.#copies.drop(staging);
    }
  }

  /**
   * Creates the owner role of a copy first, because it must own the objects of the copy before anybody can connect. An empty
   * database has no objects of other roles.
   */
  async #complete(
    filled: string,
    {
      name,
      logins,
      hasRole,
      copyOf,
    }: { name: string; logins: readonly string[]; hasRole: boolean; copyOf: string | undefined },
  ): Promise<void> {
    const owner = hasRole ? [] : createRole(this.#admin.cluster, name, "nologin");
    if (copyOf !== undefined) {
      if (!hasRole) await this.#admin.script(owner);
      await this.#copies.transferOwnership(filled, copyOf, name);
    }
    await this.#admin.script([
      ...(copyOf === undefined ? owner : []),
      `alter database ${quoteIdentifier(filled)} rename to ${quoteIdentifier(name)}`,
      ...logins,
      ...openToOwner(name),
    ]);
  }

  #swap(name: string, staging: string): Promise<void> {
    return this.#whileClosed(name, () => this.#replace(name, staging));
  }

  async #whileClosed(name: string, work: () => Promise<void>): Promise<void> {
    const reason = endReasons.copied(name);
    this.#reasons.record(name, reason, Infinity);
    try {
      await this.#closed.during(name, work);
    } finally {
      // Clients may still learn that their sessions have ended.
      this.#reasons.record(name, reason, endNotice);
    }
  }

  async #replace(name: string, staging: string): Promise<void> {
    await this.#admin.script([`alter database ${quoteIdentifier(name)} allow_connections false`]);
    try {
      await this.#admin.whileUnused(name, () =>
        this.#admin.script([
          `alter database ${quoteIdentifier(name)} rename to ${quoteIdentifier(replacedName(name))}`,
          `alter database ${quoteIdentifier(staging)} rename to ${quoteIdentifier(name)}`,
          ...openToOwner(name),
        ]),
      );
    } catch (error) {
      await this.#admin.script([`alter database ${quoteIdentifier(name)} allow_connections true`]);
      throw error;
    }
  }

  /** The restore is complete, so it must not be repeated if the connection is lost now. */
  async #dropReplaced(name: string): Promise<void> {
    try {
      await this.#copies.drop(replacedName(name));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      this.#recovery.begin();
    }
  }
}

/** Returns the statements that allow the members of the owner role, and nobody else, to connect. */
const openToOwner = (name: string): string[] => [
  `alter database ${quoteIdentifier(name)} owner to ${quoteIdentifier(name)}`,
  `revoke all on database ${quoteIdentifier(name)} from public`,
  `alter database ${quoteIdentifier(name)} allow_connections true connection limit ${String(connectionLimits.perDatabase)}`,
];
