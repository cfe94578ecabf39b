import type { MemoryStore } from "../store/memory-store.js";

/** Calls a hook after changes, so that they can be stored durably before a response shows them. */
export class ChangeHook {
  #lastSave: Promise<void> | undefined;

  /** @param hook stores the state. */
  constructor(private readonly hook: (() => void | Promise<void>) | undefined) {}

  /**
   * Returns a promise that resolves when all changes of the store are stored durably, including changes of other requests; undefined when
   * all are stored already.
   */
  waitUntilSaved(store: MemoryStore): Promise<void> | undefined {
    return store.hasChangedSinceLastCall() ? this.save() : this.#lastSave;
  }

  /** Calls the hook even when no row has changed, because the clock may have moved. */
  save(): Promise<void> | undefined {
    if (!this.hook) return undefined;
    const currentSave = Promise.resolve(this.hook()).finally(() => {
      if (this.#lastSave === currentSave) this.#lastSave = undefined;
    });
    this.#lastSave = currentSave;
    return currentSave;
  }
}
