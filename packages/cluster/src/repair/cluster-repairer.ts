import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdminConnection,
  quoteIdentifier,
  invalidDatabaseCondition,
} from "../connection/admin-connection.js";
import { type RunOrReport, createRunOrReport } from "../connection/run-or-report.js";
import type { DatabaseCopier } from "../databases/database-copier.js";
import type { RoleRemover } from "../databases/role-remover.js";
import { getDatabaseUse, toTenantDatabaseName } from "../policy/names.js";

/** Time between attempts to reach Postgres, in milliseconds. */
const reconnectDelayMs = 250;

/** Time until the next attempt to drop a database, after a session that does not react to signals prevented it, in milliseconds. */
const stalledRetryDelayMs = 5_000;

/** Interval between checks for databases that were closed by a process that has exited, in milliseconds. */
const abandonedCheckIntervalMs = 60_000;

type WithLock = (name: string, callback: () => Promise<void>) => Promise<void>;

/** SQL condition on `pg_database`, aliased `d`, for a closed database without sessions. A closed database does not allow connections. */
const reopenableCondition = `not datallowconn and not ${invalidDatabaseCondition}
  and not exists (select from pg_stat_activity where datid = d.oid and usesysid is not null)`;

/**
 * Repairs the state of Postgres after work that a lost connection has interrupted: invalid databases, unfinished copies, and databases that
 * do not allow connections.
 */
export class ClusterRepairer {
  readonly #admin: AdminConnection;
  readonly #copier: DatabaseCopier;
  readonly #roleRemover: RoleRemover;
  readonly #withLock: WithLock;
  readonly #mustStayClosed: (name: string) => boolean;
  readonly #isClusterShared: boolean;
  /** Names of databases that this process kept closed, and that may be opened now. */
  readonly #reopenableNames = new Set<string>();
  readonly #closeController = new AbortController();
  #runningRepair: Promise<void> | undefined;
  /** Whether work was interrupted since the last repair began. */
  #isRepairRequested = false;
  #isDropStalled = false;
  readonly #reopenTimer: NodeJS.Timeout;
  #runningReopening: Promise<void> | undefined;
  readonly #runOrReport: RunOrReport;

  /**
   * @param options.withLock runs work on the database with this name when no other work does.
   * @param options.mustStayClosed returns whether the database with this name must not allow connections yet.
   * @param options.isClusterShared whether other processes may keep databases closed. Default: false.
   * @param options.report receives a message about each repair that Postgres rejects, once. The next start tries again.
   */
  constructor(
    admin: AdminConnection,
    copier: DatabaseCopier,
    roleRemover: RoleRemover,
    {
      withLock,
      mustStayClosed,
      isClusterShared = false,
      report,
    }: {
      withLock: WithLock;
      mustStayClosed: (name: string) => boolean;
      isClusterShared?: boolean;
      report: (problem: string) => void;
    },
  ) {
    this.#admin = admin;
    this.#copier = copier;
    this.#roleRemover = roleRemover;
    this.#withLock = withLock;
    this.#mustStayClosed = mustStayClosed;
    this.#isClusterShared = isClusterShared;
    copier.onStall = () => {
      this.#isDropStalled = true;
      this.scheduleRepair();
    };
    const reportedProblems = new Set<string>();
    this.#runOrReport = createRunOrReport((problem) => {
      if (!reportedProblems.has(problem)) report(problem);
      reportedProblems.add(problem);
    });
    this.#reopenTimer = setInterval(() => {
      this.#runningReopening ??= this.#reopenAbandoned()
        // Postgres cannot be reached. The next check tries again.
        .catch(() => undefined)
        .finally(() => (this.#runningReopening = undefined));
    }, abandonedCheckIntervalMs).unref();
  }

  /** Repairs everything once Postgres can be reached. A repair that is in progress is followed by another one. */
  scheduleRepair(): void {
    this.#isRepairRequested = true;
    this.#runningRepair ??= this.#repairUntilDone();
  }

  /** Opens a database that this process kept closed, although it may have sessions, with a repair. */
  scheduleReopening(name: string): void {
    this.#reopenableNames.add(name);
    this.scheduleRepair();
  }

  async close(): Promise<void> {
    this.#closeController.abort();
    clearInterval(this.#reopenTimer);
    await Promise.all([this.#runningRepair, this.#runningReopening]);
  }

  async #repairUntilDone(): Promise<void> {
    const { signal } = this.#closeController;
    while (this.#isRepairRequested && !signal.aborted) {
      try {
        await sleep(this.#isDropStalled ? stalledRetryDelayMs : reconnectDelayMs, undefined, { signal });
        this.#isRepairRequested = false;
        this.#isDropStalled = false;
        await this.#runOrReport("The databases could not be repaired", () => this.#repair(signal));
      } catch {
        // Postgres cannot be reached, unless this is closed.
        this.#isRepairRequested = true;
      }
    }
    this.#runningRepair = undefined;
  }

  async #repair(signal: AbortSignal): Promise<void> {
    const databases = await this.#admin.query<{ name: string; isInvalid: boolean; isOpen: boolean }>(
      `select datname as name, ${invalidDatabaseCondition} as "isInvalid", datallowconn as "isOpen" from pg_database d
        where ${this.#admin.cluster.installation.platformDatabaseCondition}`,
    );
    for (const { name, isInvalid, isOpen } of databases) {
      if (signal.aborted) return;
      const use = getDatabaseUse(name);
      if (isInvalid || use === "temporary") {
        await this.#runOrReport(`The Postgres database ${name} could not be dropped`, () =>
          this.#withLock(toTenantDatabaseName(name), () => this.#dropIfStale(name)),
        );
      } else if (use === "database" && !isOpen && !this.#mustStayClosed(name)) {
        // Another process may have closed the database while it has sessions. Such a database is opened only once it has none.
        const isClosedByUs = !this.#isClusterShared || this.#reopenableNames.has(name);
        const condition = isClosedByUs ? "true" : reopenableCondition;
        await this.#runOrReport(`The Postgres database ${name} could not be opened`, () =>
          this.#withLock(name, () => this.#allowConnections(name, condition)),
        );
      }
    }
  }

  /**
   * Opens databases that another process kept closed because of sessions that did not react to their termination, if the process has exited
   * before it could open them. Sessions mean that the other process may still be running.
   */
  async #reopenAbandoned(): Promise<void> {
    const databases = await this.#admin.query<{ name: string }>(
      `select datname as name from pg_database d
        where ${this.#admin.cluster.installation.tenantDatabaseCondition} and ${reopenableCondition}`,
    );
    for (const { name } of databases) {
      if (this.#closeController.signal.aborted || this.#mustStayClosed(name)) continue;
      await this.#runOrReport(`The Postgres database ${name} could not be opened`, () =>
        this.#withLock(name, () => this.#allowConnections(name, reopenableCondition)),
      );
    }
  }

  /** Drops a database if it is still invalid or temporary: other work may have replaced it while this waited for the lock. */
  async #dropIfStale(name: string): Promise<void> {
    const [database] = await this.#admin.query(
      `select from pg_database where datname = $1 and (${invalidDatabaseCondition} or $2)`,
      [name, getDatabaseUse(name) === "temporary"],
    );
    if (!database) return;
    await this.#copier.drop(name);
    await this.#roleRemover.dropRetiredRoles();
  }

  async #allowConnections(name: string, condition: string): Promise<void> {
    const [database] = await this.#admin.query(
      `select from pg_database d where datname = $1 and ${condition}`,
      [name],
    );
    if (database)
      await this.#admin.runScriptAsOwner(name, [
        `alter database ${quoteIdentifier(name)} allow_connections true`,
      ]);
    this.#reopenableNames.delete(name);
  }
}
