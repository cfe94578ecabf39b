import { type Snapshot, parseSnapshot } from "@mgmt/engine";
import type { MockError } from "../errors/mock-error.js";
import * as mockErrors from "../errors/mock-errors.js";

/** Where a page stores the state of a mock. */
export type Persistence = "session" | "local";

/** A stored state of a mock. */
export interface StoredState {
  readonly snapshot: Snapshot;
  /** The state that `reset` restores. */
  readonly initial: Snapshot;
}

/** The members of `Storage` that this module uses. */
type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

/** The state of a mock in the storage of a page, which survives a reload. The page works without it when the storage does not. */
export class StateStorage {
  readonly #storage: Storage | undefined;
  readonly #storageKey: string;
  readonly #reportError: (error: MockError) => void;
  #hasFailed = false;
  #writeTimer: ReturnType<typeof setTimeout> | undefined;
  /** How long changes are collected before they are written, in milliseconds. */
  #writeDelayMs = 0;

  /**
   * @param openStorage returns the storage; null, or throws, when the browser denies it.
   * @param report called with problems, which do not stop the mock.
   */
  constructor(key: string, openStorage: () => Storage | null, report: (error: MockError) => void) {
    this.#storageKey = key;
    this.#reportError = report;
    try {
      this.#storage = openStorage() ?? undefined;
    } catch (error) {
      report(mockErrors.storageDenied(error));
      return;
    }
    if (!this.#storage) report(mockErrors.storageDenied());
  }

  /** Returns the stored state; undefined if there is none, or none that this version can read. */
  read(): StoredState | undefined {
    try {
      const stateJson = this.#storage?.getItem(this.#storageKey) ?? undefined;
      if (stateJson === undefined) return undefined;
      // Checked below.
      const { snapshot, initial } = JSON.parse(stateJson) as Record<keyof StoredState, unknown>;
      return { snapshot: parseSnapshot(snapshot), initial: parseSnapshot(initial) };
    } catch (error) {
      this.#reportError(mockErrors.keptStateUnusable(this.#storageKey, error));
      return undefined;
    }
  }

  /** Stores the state that `captureState` returns soon, with the changes until then. */
  writeSoon(captureState: () => StoredState | undefined): void {
    this.#writeTimer ??= setTimeout(() => this.write(captureState), this.#writeDelayMs);
  }

  /** Stores the state that `captureState` returns, if any. Reports the first of the attempts in a row that fail. */
  write(captureState: () => StoredState | undefined): void {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = undefined;
    const start = performance.now();
    const state = captureState();
    if (!state) return;
    this.#store(state);
    // With many rows it takes long: at most a tenth of the time.
    this.#writeDelayMs = 9 * (performance.now() - start);
  }

  #store(state: StoredState): void {
    try {
      this.#storage?.setItem(this.#storageKey, JSON.stringify(state));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#reportError(mockErrors.storageFull(error));
      this.#hasFailed = true;
    }
  }
}
