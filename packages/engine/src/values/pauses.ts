/** Pauses of background work. They end early when the work has to stop. */
export class Pauses {
  readonly #pauseEnds = new Set<() => void>();
  #haveEnded = false;

  get haveEnded(): boolean {
    return this.#haveEnded;
  }

  /** Resolves after a time, or when `end` is called. */
  pause(milliseconds: number): Promise<void> {
    if (this.#haveEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const endPause = (): void => {
        clearTimeout(timer);
        this.#pauseEnds.delete(endPause);
        resolve();
      };
      const timer = setTimeout(endPause, milliseconds);
      this.#pauseEnds.add(endPause);
    });
  }

  /** Ends all pauses, those that begin later too. */
  end(): void {
    this.#haveEnded = true;
    for (const end of this.#pauseEnds) end();
  }
}
