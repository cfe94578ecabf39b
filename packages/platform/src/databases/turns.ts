/** One piece of work at a time for each key, in the order of asking. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when nothing else is at work on any of these keys. */
  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    // Keys are taken in their order: two pieces of work never wait for each other.
    const [first, ...others] = [...new Set(keys)].sort();
    if (first === undefined) return work();
    const done = (this.#last.get(first) ?? Promise.resolve()).then(() => this.take(others, work));
    const settled = done.then(nothing, nothing).then(() => {
      if (this.#last.get(first) === settled) this.#last.delete(first);
    });
    this.#last.set(first, settled);
    return done;
  }
}

const nothing = (): void => undefined;
