/** Runs callbacks with the same key one after the other, because clients call several tools simultaneously. */
export class KeyedLock {
  readonly #settledByKey = new Map<string, Promise<unknown>>();

  /** Runs a callback after the earlier ones with the same key have succeeded or failed. */
  async run<T>(key: string, callback: () => Promise<T>): Promise<T> {
    const earlier = this.#settledByKey.get(key) ?? Promise.resolve();
    const result = earlier.then(callback, callback);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#settledByKey.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.#settledByKey.get(key) === settled) this.#settledByKey.delete(key);
    }
  }
}
