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
    if (!this.hook || !this.store.takeChanged()) return this.#last;
    const kept = Promise.resolve(this.hook()).finally(() => {
      if (this.#last === kept) this.#last = undefined;
    });
    this.#last = kept;
    return kept;
  }
}
