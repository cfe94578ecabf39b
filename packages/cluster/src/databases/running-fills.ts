/** The work of this process that fills databases, by their names in Postgres. */
export class RunningFills {
  readonly #fillsByDatabase = new Map<string, Set<AbortController>>();

  /** Runs work until it is done or canceled. Passes it a signal that is aborted when it is canceled. */
  async run(
    name: string,
    cancelSignal: AbortSignal | undefined,
    callback: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const controller = new AbortController();
    const signal = cancelSignal ? AbortSignal.any([controller.signal, cancelSignal]) : controller.signal;
    const runningFills = this.#fillsByDatabase.get(name) ?? new Set();
    this.#fillsByDatabase.set(name, runningFills.add(controller));
    try {
      await callback(signal);
    } finally {
      runningFills.delete(controller);
      if (runningFills.size === 0) this.#fillsByDatabase.delete(name);
    }
  }

  cancel(name: string, reason: Error): void {
    for (const controller of this.#fillsByDatabase.get(name) ?? []) controller.abort(reason);
  }
}
