/** Runs one callback at a time for each key, in the order of the calls. */
export class KeyedMutex {
  readonly #lastWorkByKey = new Map<string, Promise<unknown>>();

  /**
   * Runs the callback when no other one holds any of the keys.
   *
   * @returns the result of the callback. A rejection does not affect later calls.
   */
  async run<T>(keys: readonly string[], callback: () => Promise<T>): Promise<T> {
    // Keys are locked in sorted order, which prevents deadlocks.
    const [firstKey, ...otherKeys] = [...new Set(keys)].sort();
    if (firstKey === undefined) return callback();
    const done = (this.#lastWorkByKey.get(firstKey) ?? Promise.resolve()).then(() =>
      this.run(otherKeys, callback),
    );
    const released = done.then(ignoreResult, ignoreResult).then(() => {
      if (this.#lastWorkByKey.get(firstKey) === released) this.#lastWorkByKey.delete(firstKey);
    });
    this.#lastWorkByKey.set(firstKey, released);
    return done;
  }
}

const ignoreResult = (): void => undefined;
