/**
 * Limits how much work runs at the same time, in total and for each key. Waiting keys take turns, so that no key has to wait for all work of
 * another.
 */
export class FairSemaphore {
  readonly #limits: { readonly maxTotal: number; readonly perKey: number };
  readonly #runningByKey = new Map<string, number>();
  /** Functions that start waiting work, by key. The key that has waited longest since its last turn comes first. */
  readonly #waitingStarts = new Map<string, (() => void)[]>();
  #runningCount = 0;

  /**
   * @param options.maxTotal how much work may run at the same time.
   * @param options.perKey how much of it may have the same key. Default: `maxTotal`.
   */
  constructor({ maxTotal, perKey = maxTotal }: { readonly maxTotal: number; readonly perKey?: number }) {
    this.#limits = { maxTotal, perKey };
  }

  /** Runs the callback when it is the turn of its key, and resolves with its result. Starts immediately if there is room. */
  async run<T>(key: string, callback: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(key) && !this.#waitingStarts.has(key)) this.#countStart(key);
    else await new Promise<void>((resolve) => this.#enqueue(key, resolve));
    try {
      return await callback();
    } finally {
      this.#countEndAndStartNext(key);
    }
  }

  #hasRoom(key: string): boolean {
    return (
      this.#runningCount < this.#limits.maxTotal && (this.#runningByKey.get(key) ?? 0) < this.#limits.perKey
    );
  }

  #enqueue(key: string, start: () => void): void {
    const startsOfKey = this.#waitingStarts.get(key);
    if (startsOfKey) startsOfKey.push(start);
    else this.#waitingStarts.set(key, [start]);
  }

  #countStart(key: string): void {
    this.#runningCount += 1;
    this.#runningByKey.set(key, (this.#runningByKey.get(key) ?? 0) + 1);
  }

  #countEndAndStartNext(key: string): void {
    this.#runningCount -= 1;
    const runningOfKey = (this.#runningByKey.get(key) ?? 1) - 1;
    if (runningOfKey > 0) this.#runningByKey.set(key, runningOfKey);
    else this.#runningByKey.delete(key);
    for (const [waitingKey, starts] of this.#waitingStarts) {
      if (!this.#hasRoom(waitingKey)) continue;
      const start = starts.shift();
      this.#waitingStarts.delete(waitingKey);
      if (starts.length > 0) this.#waitingStarts.set(waitingKey, starts);
      this.#countStart(waitingKey);
      start?.();
      return;
    }
  }
}
