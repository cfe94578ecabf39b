/** Runs one piece of work at a time for each key, in the order of the calls. */
export class KeyedMutex {
  readonly #lastWorkByKey = new Map<string, Promise<unknown>>();

  /**
   * Runs the work when no other work holds any of the keys.
   *
   * @returns the result of the work. A rejection does not affect later work.
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // Keys are locked in sorted order, which prevents deadlocks.
    const [firstKey, ...otherKeys] = [...new Set(keys)].sort();
    if (firstKey === undefined) return work();
    const done = (this.#lastWorkByKey.get(firstKey) ?? Promise.resolve()).then(() =>
      this.run(otherKeys, work),
    );
    const released = done.then(ignoreResult, ignoreResult).then(() => {
      if (this.#lastWorkByKey.get(firstKey) === released) this.#lastWorkByKey.delete(firstKey);
    });
    this.#lastWorkByKey.set(firstKey, released);
    return done;
  }
}

const ignoreResult = (): void => undefined;
