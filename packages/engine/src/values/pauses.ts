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
      const end = (): void => {
        clearTimeout(timer);
        this.#pauseEnds.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#pauseEnds.add(end);
    });
  }

  /** Ends all pauses, those that begin later too. */
  end(): void {
    this.#haveEnded = true;
    for (const end of this.#pauseEnds) end();
  }
}
