import { randomBytes } from "node:crypto";
import type { Copies } from "./copies.js";
import { sparePrefix } from "./names.js";

interface Taker {
  resolve(name: string): void;
  reject(error: unknown): void;
}

/** Two at a time use the disk while one waits for the server. */
const makers = 2;

/**
 * Empty databases made ahead: making one takes Postgres some hundred files, giving it its name takes a millisecond.
 * Nobody can connect to a spare.
 */
export class Spares {
  readonly #copies: Copies;
  readonly #depth: number;
  readonly #ready: string[];
  readonly #takers: Taker[] = [];
  readonly #making = new Set<Promise<void>>();
  #closed = false;

  /** `ready`: the spares that exist already. */
  constructor(copies: Copies, depth: number, ready: readonly string[]) {
    this.#copies = copies;
    this.#depth = depth;
    this.#ready = [...ready];
    this.#refill();
  }

  /** A spare that is the caller's from now on, made on the spot when there is none left. */
  take(): Promise<string> {
    const name = this.#ready.shift();
    const taken =
      name === undefined
        ? new Promise<string>((resolve, reject) => this.#takers.push({ resolve, reject }))
        : Promise.resolve(name);
    this.#refill();
    return taken;
  }

  /** Ends when nothing is being made any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#making);
  }

  #refill(): void {
    const missing = this.#depth + this.#takers.length - this.#ready.length - this.#making.size;
    for (let count = Math.min(missing, makers - this.#making.size); count > 0 && !this.#closed; count -= 1) {
      const made = this.#make().then(
        (name) => {
          this.#making.delete(made);
          const taker = this.#takers.shift();
          if (taker === undefined) this.#ready.push(name);
          else taker.resolve(name);
          this.#refill();
        },
        (error: unknown) => {
          this.#making.delete(made);
          // Not tried again by itself: the disk may be full. The next taker tries.
          for (const taker of this.#takers.splice(0)) taker.reject(error);
        },
      );
      this.#making.add(made);
    }
  }

  async #make(): Promise<string> {
    const name = sparePrefix + randomBytes(8).toString("hex");
    await this.#copies.makeEmpty(name);
    return name;
  }
}
