/** Runs one piece of work at a time for each key, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs the work when no other work holds any of the keys.
   *
   * @returns the result of the work. A rejection does not affect later work.
   */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // Keys are locked in sorted order, which prevents deadlocks.
    const [first, ...others] = [...new Set(keys)].sort();
    if (first === undefined) return work();
    const done = (this.#last.get(first) ?? Promise.resolve()).then(() => this.run(others, work));
    const released = done.then(nothing, nothing).then(() => {
      if (this.#last.get(first) === released) this.#last.delete(first);
    });
    this.#last.set(first, released);
    return done;
  }
}

const nothing = (): void => undefined;
