import { setTimeout as sleep } from "node:timers/promises";
import { type Admin, quoteIdentifier, isInvalidCondition } from "../connection/admin-connection.js";
import { type Attempt, createAttempt } from "../connection/attempt.js";
import type { Copies } from "../databases/database-copier.js";
import { kindOf, ownerOf } from "../policy/names.js";
import { isOurDatabaseCondition } from "../policy/ownership.js";

/** Time between attempts to reach Postgres, in milliseconds. */
const reconnectDelayMs = 250;

/** Time until the next attempt to drop a database, after a session that does not react to signals prevented it, in milliseconds. */
const stalledRetryDelayMs = 5_000;

type WithLock = (name: string, work: () => Promise<void>) => Promise<void>;

/**
 * Repairs the state of Postgres after work that a lost connection has interrupted: invalid databases, unfinished copies, and databases that
 * do not allow connections.
 */
export class Recovery {
  readonly #admin: Admin;
  readonly #copies: Copies;
  readonly #withLock: WithLock;
  readonly #closed = new AbortController();
  #running: Promise<void> | undefined;
  /** Whether work was interrupted since the last repair began. */
  #isNeeded = false;
  #isStalled = false;
  readonly #attempt: Attempt;

  /**
   * @param withLock runs work on the database with this name when no other work does.
   * @param report receives a message about each repair that Postgres refuses, once. The next start tries again.
   */
  constructor(admin: Admin, copies: Copies, withLock: WithLock, report: (problem: string) => void) {
    this.#admin = admin;
    this.#copies = copies;
    this.#withLock = withLock;
    copies.onStall = () => {
      this.#isStalled = true;
      this.begin();
    };
    const reportedProblems = new Set<string>();
    this.#attempt = createAttempt((problem) => {
      if (!reportedProblems.has(problem)) report(problem);
      reportedProblems.add(problem);
    });
  }

  /** Repairs everything once Postgres can be reached. A repair that is under way is followed by another one. */
  begin(): void {
    this.#isNeeded = true;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (this.#isNeeded && !signal.aborted) {
      try {
        await sleep(this.#isStalled ? stalledRetryDelayMs : reconnectDelayMs, undefined, { signal });
        this.#isNeeded = false;
        this.#isStalled = false;
        await this.#attempt("The databases could not be repaired", () => this.#repair(signal));
      } catch {
        // Postgres cannot be reached, unless this is closed.
        this.#isNeeded = true;
      }
    }
    this.#running = undefined;
  }

  async #repair(signal: AbortSignal): Promise<void> {
    const databases = await this.#admin.query<{ name: string; invalid: boolean; open: boolean }>(
      `select datname as name, ${isInvalidCondition} as invalid, datallowconn as open from pg_database d where ${isOurDatabaseCondition}`,
    );
    for (const { name, invalid, open } of databases) {
      if (signal.aborted) return;
      const kind = kindOf(name);
      if (invalid || kind === "temporary") {
        await this.#attempt(`The Postgres database ${name} could not be dropped`, () =>
          this.#withLock(ownerOf(name), () => this.#drop(name)),
        );
      } else if (kind === "database" && !open) {
        await this.#attempt(`The Postgres database ${name} could not be opened`, () =>
          this.#withLock(name, () => this.#open(name)),
        );
      }
    }
  }

  /** Other work may have replaced the objects since. */
  async #drop(name: string): Promise<void> {
    const [database] = await this.#admin.query(
      `select from pg_database where datname = $1 and (${isInvalidCondition} or $2)`,
      [name, kindOf(name) === "temporary"],
    );
    if (!database) return;
    await this.#copies.drop(name);
    await this.#copies.dropRetiredRoles();
  }

  async #open(name: string): Promise<void> {
    const [database] = await this.#admin.query("select from pg_database where datname = $1", [name]);
    if (database)
      await this.#admin.script([`alter database ${quoteIdentifier(name)} allow_connections true`]);
  }
}
