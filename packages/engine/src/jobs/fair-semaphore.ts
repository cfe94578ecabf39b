/** Limits work at the same time, in total and for each key. Keys whose work waits take turns, so none waits for all work of another. */
export class FairSemaphore {
  readonly #limits: { readonly total: number; readonly perKey: number };
  readonly #running = new Map<string, number>();
  /** The work that waits, by key. The key whose turn was the longest ago comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #total = 0;

  /** @param perKey default: `total`. */
  constructor({ total, perKey = total }: { readonly total: number; readonly perKey?: number }) {
    this.#limits = { total, perKey };
  }

  /** Runs the work when it is the turn of its key, and resolves with its result. Starts at once if there is room. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(key) && !this.#waiting.has(key)) this.#begin(key);
    else await new Promise<void>((resolve) => this.#enqueue(key, resolve));
    try {
      return await work();
    } finally {
      this.#end(key);
    }
  }

  #hasRoom(key: string): boolean {
    return this.#total < this.#limits.total && (this.#running.get(key) ?? 0) < this.#limits.perKey;
  }

  #enqueue(key: string, start: () => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.push(start);
    else this.#waiting.set(key, [start]);
  }

  #begin(key: string): void {
    this.#total += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #end(key: string): void {
    this.#total -= 1;
    const running = (this.#running.get(key) ?? 1) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    for (const [next, waiting] of this.#waiting) {
      if (!this.#hasRoom(next)) continue;
      const start = waiting.shift();
      this.#waiting.delete(next);
      if (waiting.length > 0) this.#waiting.set(next, waiting);
      this.#begin(next);
      start?.();
      return;
    }
  }
}
