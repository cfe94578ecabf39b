import { randomBytes } from "node:crypto";
import type { Copies } from "./copies.js";
import { sparePrefix, unfinishedSparePrefix } from "./names.js";

interface Waiter {
  resolve(name: string): void;
  reject(error: unknown): void;
}

/** Two at a time: one uses the disk while the other waits for the server. */
const concurrency = 2;

/**
 * Time before the successor of a spare is created, in milliseconds. Copying its files at once would slow down the first
 * connection to the spare that was taken.
 */
const pause = 30;

/** Time before the first spares are created, in milliseconds, because they would slow down the start. */
const startPause = 250;

/**
 * Creates empty databases in advance. Creating one writes about 300 files; renaming a spare takes a millisecond. Spares do
 * not allow connections.
 */
export class Spares {
  readonly #copies: Copies;
  readonly #depth: number;
  /** Another process may have taken some of these, which renaming them shows. */
  readonly #ready: string[];
  readonly #waiters: Waiter[] = [];
  readonly #creating = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer ends. */
  #due = 0;
  #closed = false;

  /** @param ready names of spares that already exist. */
  constructor(copies: Copies, depth: number, ready: readonly string[]) {
    this.#copies = copies;
    this.#depth = depth;
    this.#ready = [...ready];
    this.#refillIn(startPause);
  }

  /** Returns a spare for the caller to own. Waits for a new one when none is ready. */
  take(): Promise<string> {
    const name = this.#ready.shift();
    if (name !== undefined) {
      this.#refillIn(pause);
      return Promise.resolve(name);
    }
    const taken = new Promise<string>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#refill();
    return taken;
  }

  /** Stops creating spares. Resolves when none is being created. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#creating);
  }

  /** Creates the missing spares after this time, or earlier if that is planned. */
  #refillIn(milliseconds: number): void {
    const due = performance.now() + milliseconds;
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refill();
    }, milliseconds);
  }

  #refill(): void {
    const missing = this.#depth + this.#waiters.length - this.#ready.length - this.#creating.size;
    for (
      let count = Math.min(missing, concurrency - this.#creating.size);
      count > 0 && !this.#closed;
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
          for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
        },
      );
      this.#creating.add(creation);
    }
  }

  async #create(): Promise<string> {
    const id = randomBytes(8).toString("hex");
    await this.#copies.createEmpty(unfinishedSparePrefix + id, sparePrefix + id);
    return sparePrefix + id;
  }
}
