/** Runs work with the same key one after the other, because clients call several tools simultaneously. */
export class KeyedLock {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Runs work once the earlier work with the same key has ended, however it did. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#ends.get(key) ?? Promise.resolve();
    const result = earlier.then(work, work);
    const end = result.then(
      () => undefined,
      () => undefined,
    );
    this.#ends.set(key, end);
    try {
      return await result;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}
