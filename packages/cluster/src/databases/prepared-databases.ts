import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseUnavailableError } from "@mgmt/engine";
import { toUnavailableError } from "../connection/unavailable.js";
import { type Attempt, createAttempt } from "../connection/attempt.js";
import type { Copies } from "./database-copier.js";
import { preparedPrefix, unfinishedPreparedPrefix } from "../policy/names.js";

interface Waiter {
  resolve(name: string): void;
  reject(error: unknown): void;
}

/** Two at a time: one uses the disk while the other waits for the server. */
const maxConcurrentCreations = 2;

/**
 * Time before the successor of a prepared database is created, in milliseconds. Copying its files at once would slow down the first
 * connection to the prepared database that was taken.
 */
const refillDelayMs = 30;

/** Time before the first prepared databases are created, in milliseconds, because they would slow down the start. */
const firstRefillDelayMs = 250;

/** Time between attempts to drop the database of an interrupted creation, in milliseconds. */
const dropRetryDelayMs = 250;

/**
 * Creates empty databases in advance. Creating one writes about 300 files; renaming a prepared database takes a millisecond. Prepared databases do
 * not allow connections.
 */
export class PreparedDatabases {
  readonly #copies: Copies;
  readonly #targetCount: number;
  readonly #attempt: Attempt;
  /** Another process may have taken some of these, which renaming them shows. */
  readonly #ready: string[];
  readonly #waiters: Waiter[] = [];
  readonly #creating = new Set<Promise<void>>();
  readonly #dropping = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer ends. */
  #refillAt = 0;
  readonly #closed = new AbortController();

  /**
   * @param targetCount number of prepared databases to keep ready.
   * @param ready names of prepared databases that already exist.
   * @param report receives a message about each database that Postgres refuses to drop. The next start tries again.
   */
  constructor(
    copies: Copies,
    targetCount: number,
    ready: readonly string[],
    report: (problem: string) => void,
  ) {
    this.#copies = copies;
    this.#targetCount = targetCount;
    this.#attempt = createAttempt(report);
    this.#ready = [...ready];
    this.#refillIn(firstRefillDelayMs);
  }

  /**
   * Returns a prepared database for the caller to own. Waits for a new one when none is ready.
   *
   * @throws DatabaseUnavailableError when these are closed before a prepared database is ready. Otherwise throws the error of the creation.
   */
  take(): Promise<string> {
    if (this.#closed.signal.aborted) return Promise.reject(closedError());
    const name = this.#ready.shift();
    if (name !== undefined) {
      this.#refillIn(refillDelayMs);
      return Promise.resolve(name);
    }
    const nextName = new Promise<string>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#refill();
    return nextName;
  }

  /** Stops creating prepared databases, and rejects those who wait for one. Resolves when none is being created. */
  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    this.#rejectWaiters(closedError());
    await Promise.all(this.#creating);
    await Promise.all(this.#dropping);
  }

  /** Creates the missing prepared databases after this time, or earlier if that is planned. */
  #refillIn(milliseconds: number): void {
    const refillAt = performance.now() + milliseconds;
    if (this.#timer !== undefined && this.#refillAt <= refillAt) return;
    clearTimeout(this.#timer);
    this.#refillAt = refillAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refill();
    }, milliseconds);
  }

  #refill(): void {
    const missing = this.#targetCount + this.#waiters.length - this.#ready.length - this.#creating.size;
    for (
      let count = Math.min(missing, maxConcurrentCreations - this.#creating.size);
      count > 0 && !this.#closed.signal.aborted;
      count -= 1
    ) {
      const creation = this.#create().then(
        (name) => {
          this.#creating.delete(creation);
          const waiter = this.#waiters.shift();
          if (waiter === undefined) this.#ready.push(name);
          else waiter.resolve(name);
          this.#refill();
        },
        (error: unknown) => {
          this.#creating.delete(creation);
          // No automatic retry, because the disk may be full. The next call of `take` tries again.
          this.#rejectWaiters(error);
        },
      );
      this.#creating.add(creation);
    }
  }

  #rejectWaiters(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  async #create(): Promise<string> {
    const id = randomBytes(8).toString("hex");
    const [unfinished, name] = [unfinishedPreparedPrefix + id, preparedPrefix + id];
    try {
      await this.#copies.createEmpty(unfinished, name);
      return name;
    } catch (error) {
      const dropping = this.#drop([unfinished, name]).finally(() => this.#dropping.delete(dropping));
      this.#dropping.add(dropping);
      throw error;
    }
  }

  /** Drops the database of an interrupted creation, once Postgres can be reached. */
  async #drop(names: readonly string[]): Promise<void> {
    const { signal } = this.#closed;
    const remaining = new Set(names);
    while (remaining.size > 0 && !signal.aborted) {
      try {
        for (const name of remaining) {
          await this.#attempt(`The Postgres database ${name} could not be dropped`, () =>
            this.#copies.drop(name),
          );
          remaining.delete(name);
        }
      } catch {
        // Postgres cannot be reached.
        await sleep(dropRetryDelayMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

const closedError = (): DatabaseUnavailableError => toUnavailableError(new Error("The platform is stopping"));
