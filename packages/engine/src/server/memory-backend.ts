import { Defaults } from "../control/defaults.js";
import type { TransactionOptions } from "../store/storage-adapter.js";
import { RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { Settings } from "../values/settings.js";
import { DatabaseWork } from "../context/database-work.js";
import { createSharedServices } from "./common-context.js";
import type { EngineOptions } from "./engine-options.js";
import { type MemoryServices, MemoryState, type MemoryView } from "./memory-state.js";
import { createInitialTables } from "./initial-tables.js";
import type { TransactionView } from "./control-backend.js";
import type { ServerBackend } from "./server.js";
import { findRemovedRows } from "./snapshot-tables.js";

/** Keeps the state of a server in the process's memory. All of its methods are synchronous. */
export class MemoryBackend implements ServerBackend<"sync"> {
  readonly settings: Settings;
  readonly #services: MemoryServices;
  #currentState: MemoryState;

  constructor(options: EngineOptions) {
    const { onDefect = console.error, afterMutation } = options;
    const services = createSharedServices(options, new DatabaseWork());
    this.settings = services.settings;
    this.#services = { ...services, windows: new RateWindows(), afterMutation, onDefect };
    this.#currentState = new MemoryState(createInitialTables(options), this.#services);
  }

  get hasFaults(): boolean {
    return this.#currentState.row.hasFaults;
  }

  getContextForRequest(): MemoryView {
    return this.#currentState.context;
  }

  getContextForControl(): MemoryView {
    return this.#currentState.context;
  }

  runTransaction<T>(_transactionOptions: TransactionOptions, callback: (view: TransactionView) => T): T {
    return this.#currentState.runTransaction(callback);
  }

  pollDueJobs(): void {
    this.#currentState.queue.setTimer();
  }

  advanceTo(time: number): Promise<void> {
    return this.#currentState.queue.advanceTo(time);
  }

  readTenantDefaults(workspaceId: string): Defaults {
    return new Defaults(() => this.#currentState.context, workspaceId);
  }

  readAllTables<T>(readTables: (states: TableStates) => T): T {
    return structuredClone(readTables(this.#currentState.readTableStates()));
  }

  /** Takes effect immediately; resolves when the real databases of removed records are deleted. */
  replaceAllTables(
    createTables: (states: TableStates) => TableStates,
    onReplaced?: () => void,
  ): Promise<void> {
    const { queue } = this.#currentState;
    const previousTables = this.#currentState.readTableStates();
    const newTables = createTables(previousTables);
    this.#currentState = new MemoryState(newTables, this.#services);
    // Jobs that are running finish in the old state.
    queue.stop();
    onReplaced?.();
    const { databaseEngine } = this.#services;
    return Promise.all([
      ...findRemovedRows(previousTables, newTables, "backups").map(({ id }) => databaseEngine.dropBackup(id)),
      ...findRemovedRows(previousTables, newTables, "databases").map(({ id }) => databaseEngine.drop(id)),
      queue.waitUntilIdle(),
    ]).then(() => undefined);
  }

  async save(): Promise<void> {
    await this.#currentState.changeHook.save();
  }

  waitUntilIdle(): Promise<void> {
    return this.#currentState.queue.waitUntilIdle();
  }

  start(): void {
    this.#currentState.queue.start();
  }

  async stop(): Promise<void> {
    this.#currentState.queue.stop();
    await this.waitUntilIdle();
  }
}
