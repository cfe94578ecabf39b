/** Pauses of background work. They are cut short when the work has to stop. */
export class Pauses {
  readonly #finishCallbacks = new Set<() => void>();
  #areStopped = false;

  get areStopped(): boolean {
    return this.#areStopped;
  }

  /** Resolves after a time, or when `stop` is called. */
  pause(milliseconds: number): Promise<void> {
    if (this.#areStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const finishPause = (): void => {
        clearTimeout(timer);
        this.#finishCallbacks.delete(finishPause);
        resolve();
      };
      const timer = setTimeout(finishPause, milliseconds);
      this.#finishCallbacks.add(finishPause);
    });
  }

  /** Finishes all pauses, including those that begin later. */
  stop(): void {
    this.#areStopped = true;
    for (const finish of this.#finishCallbacks) finish();
  }
}
