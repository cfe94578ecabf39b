/** The work of this process that fills databases, by their names in Postgres. */
export class Fillings {
  readonly #running = new Map<string, Set<AbortController>>();

  /** Does work until it is done or canceled, and passes it a signal that says so. */
  async run(
    name: string,
    canceled: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const filling = new AbortController();
    const signal = canceled ? AbortSignal.any([filling.signal, canceled]) : filling.signal;
    const others = this.#running.get(name) ?? new Set();
    this.#running.set(name, others.add(filling));
    try {
      await work(signal);
    } finally {
      others.delete(filling);
      if (others.size === 0) this.#running.delete(name);
    }
  }

  cancel(name: string, reason: Error): void {
    for (const filling of this.#running.get(name) ?? []) filling.abort(reason);
  }
}
