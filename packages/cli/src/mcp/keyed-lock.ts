/** Runs callbacks with the same key one after the other, because clients call several tools simultaneously. */
export class KeyedLock {
  readonly #lastRunByKey = new Map<string, Promise<unknown>>();

  /** Runs a callback after the earlier ones with the same key have succeeded or failed. */
  async run<T>(key: string, callback: () => Promise<T>): Promise<T> {
    const previousRun = this.#lastRunByKey.get(key) ?? Promise.resolve();
    const result = previousRun.then(callback, callback);
    const run = result.then(
      () => undefined,
      () => undefined,
    );
    this.#lastRunByKey.set(key, run);
    try {
      return await result;
    } finally {
      if (this.#lastRunByKey.get(key) === run) this.#lastRunByKey.delete(key);
    }
  }
}
