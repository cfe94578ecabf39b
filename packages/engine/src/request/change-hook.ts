import type { MemoryStore } from "../store/memory-store.js";

/** Lets every change of the state reach where it is kept before the answer that made it leaves. */
export class ChangeHook {
  #last: Promise<void> | undefined;

  constructor(
    private readonly store: MemoryStore,
    private readonly hook: (() => void | Promise<void>) | undefined,
  ) {}

  /** A promise for the latest change, whoever made it; undefined when all changes have been kept. */
  settle(): Promise<void> | undefined {
    return this.store.takeChanged() ? this.keep() : this.#last;
  }

  /** Keeps the state whether or not a row has changed: its clock may have moved. */
  keep(): Promise<void> | undefined {
    if (!this.hook) return undefined;
    const kept = Promise.resolve(this.hook()).finally(() => {
      if (this.#last === kept) this.#last = undefined;
    });
    this.#last = kept;
    return kept;
  }
}
