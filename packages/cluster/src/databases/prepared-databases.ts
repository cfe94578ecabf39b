import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseUnavailableError } from "@mgmt/engine";
import { toUnavailableError } from "../connection/unavailable.js";
import { isMissingDatabaseError } from "../connection/admin-connection.js";
import { type RunOrReport, dropOrReport, createRunOrReport } from "../connection/run-or-report.js";
import type { DatabaseCopier } from "./database-copier.js";

interface Waiter {
  resolve(name: string): void;
  reject(error: unknown): void;
}

/** How many databases are created at the same time: one uses the disk while the other waits for the server. */
const maxConcurrentCreations = 2;

/**
 * Time before the successor of a prepared database is created, in milliseconds. Copying its files immediately would slow down the first
 * connection to the prepared database that was taken.
 */
const refillDelayMs = 30;

/** Time before the first prepared databases are created, in milliseconds, because they would slow down the start. */
const firstRefillDelayMs = 250;

/** Time between attempts to drop the database of an interrupted creation, in milliseconds. */
const dropRetryDelayMs = 250;

/**
 * Creates empty databases in advance. Creating one writes about 300 files; renaming a prepared database takes a millisecond. Prepared
 * databases do not allow connections.
 */
export class PreparedDatabases {
  readonly #copier: DatabaseCopier;
  readonly #targetCount: number;
  readonly #serverId: string;
  readonly #runOrReport: RunOrReport;
  /** Another process may have taken some of these, which renaming them shows. */
  readonly #readyNames: string[];
  /** The prepared database that the others are copies of. It was created by this process, and no one gets it. */
  #templateName: string | undefined;
  /** Whether databases are copies of a template, which is faster where Postgres copies files. Undefined until one was created. */
  #usesTemplate: boolean | undefined;
  readonly #waiters: Waiter[] = [];
  readonly #creations = new Set<Promise<void>>();
  readonly #drops = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  #refillAt = 0;
  readonly #closeController = new AbortController();

  /**
   * @param targetCount number of prepared databases to keep ready.
   * @param readyNames names of prepared databases that already exist.
   * @param report receives a message about each database that Postgres refuses to drop. The next start tries again.
   * @param serverId the id of the server, which is part of the names of unfinished databases.
   */
  constructor(
    copier: DatabaseCopier,
    targetCount: number,
    readyNames: readonly string[],
    report: (problem: string) => void,
    serverId = "",
  ) {
    this.#serverId = serverId;
    this.#copier = copier;
    this.#targetCount = targetCount;
    if (targetCount === 0) this.#usesTemplate = false;
    this.#runOrReport = createRunOrReport(report);
    this.#readyNames = [...readyNames];
    this.#scheduleRefill(firstRefillDelayMs);
  }

  /**
   * Returns a prepared database for the caller to own. Waits for a new one when none is ready.
   *
   * @throws DatabaseUnavailableError when these are closed before a prepared database is ready. Otherwise throws the error of the creation.
   */
  acquire(): Promise<string> {
    if (this.#closeController.signal.aborted) return Promise.reject(createClosedError());
    const name = this.#readyNames.shift();
    if (name !== undefined) {
      this.#scheduleRefill(refillDelayMs);
      return Promise.resolve(name);
    }
    const newName = new Promise<string>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#refill();
    return newName;
  }

  /** Stops creating prepared databases, and rejects callers that wait for one. Resolves when no database is being created. */
  async close(): Promise<void> {
    this.#closeController.abort();
    clearTimeout(this.#timer);
    this.#rejectWaiters(createClosedError());
    await Promise.all(this.#creations);
    await Promise.all(this.#drops);
  }

  /** Creates the missing prepared databases after this time, or earlier if that is planned. */
  #scheduleRefill(delayMs: number): void {
    const refillAt = performance.now() + delayMs;
    if (this.#timer !== undefined && this.#refillAt <= refillAt) return;
    clearTimeout(this.#timer);
    this.#refillAt = refillAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refill();
    }, delayMs);
  }

  #refill(): void {
    const missingCount =
      this.#targetCount + this.#waiters.length - this.#readyNames.length - this.#creations.size;
    // The first one may be the template of the others.
    const maxCreations = this.#usesTemplate === undefined ? 1 : maxConcurrentCreations;
    for (
      let count = Math.min(missingCount, maxCreations - this.#creations.size);
      count > 0 && !this.#closeController.signal.aborted;
      count -= 1
    ) {
      const creation = this.#create().then(
        ({ name, isFastToCopy }) => {
          this.#creations.delete(creation);
          if (this.#usesTemplate === undefined) {
            this.#usesTemplate = isFastToCopy;
            if (isFastToCopy) {
              this.#templateName = name;
              this.#refill();
              return;
            }
          }
          const waiter = this.#waiters.shift();
          if (waiter === undefined) this.#readyNames.push(name);
          else waiter.resolve(name);
          this.#refill();
        },
        (error: unknown) => {
          this.#creations.delete(creation);
          // No automatic retry, because the disk may be full. The next call of `acquire` tries again.
          this.#rejectWaiters(error);
        },
      );
      this.#creations.add(creation);
    }
  }

  #rejectWaiters(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  async #create(): Promise<{ name: string; isFastToCopy: boolean }> {
    const id = randomBytes(8).toString("hex");
    const { unfinishedPreparedNamePrefix, preparedNamePrefix } = this.#copier.installation;
    const [unfinishedName, name] = [
      `${unfinishedPreparedNamePrefix}${this.#serverId}.${id}`,
      preparedNamePrefix + id,
    ];
    try {
      const templateName = this.#templateName;
      if (templateName !== undefined) {
        try {
          await this.#copier.copyPrepared(templateName, unfinishedName, name);
          return { name, isFastToCopy: true };
        } catch (error) {
          // Another process has taken the template.
          if (!isMissingDatabaseError(error)) throw error;
          if (this.#templateName === templateName) this.#templateName = this.#usesTemplate = undefined;
        }
      }
      return { name, isFastToCopy: await this.#copier.createEmpty(unfinishedName, name) };
    } catch (error) {
      const drop = this.#drop([unfinishedName, name]).finally(() => this.#drops.delete(drop));
      this.#drops.add(drop);
      throw error;
    }
  }

  /** Drops the database of an interrupted creation, once Postgres can be reached. */
  async #drop(names: readonly string[]): Promise<void> {
    const { signal } = this.#closeController;
    const remainingNames = new Set(names);
    while (remainingNames.size > 0 && !signal.aborted) {
      try {
        for (const name of remainingNames) {
          await dropOrReport(this.#runOrReport, this.#copier, name);
          remainingNames.delete(name);
        }
      } catch {
        // Postgres cannot be reached.
        await sleep(dropRetryDelayMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

const createClosedError = (): DatabaseUnavailableError =>
  toUnavailableError(new Error("The platform is stopping"));
