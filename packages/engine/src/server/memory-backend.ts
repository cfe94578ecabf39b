import { DefaultRows } from "../control/default-rows.js";
import type { Access } from "../store/storage-adapter.js";
import { RateWindows } from "../store/rate-window.js";
import type { TableStates } from "../store/records.js";
import type { Settings } from "../values/settings.js";
import { DatabaseWork } from "../context/database-work.js";
import { contextPartsOf } from "./common-context.js";
import type { EngineOptions } from "./engine-options.js";
import { type MemoryParts, MemoryState, type MemoryView } from "./memory-state.js";
import { tablesOfNew } from "./new-server.js";
import type { TransactionView } from "./control-rows.js";
import type { Backend } from "./server.js";
import { rowsRemoved } from "./snapshot-tables.js";

/** Keeps the state of a server in the process's memory. All that it returns, it returns at once. */
export class MemoryBackend implements Backend<"sync"> {
  readonly settings: Settings;
  readonly #parts: MemoryParts;
  #current: MemoryState;

  constructor(options: EngineOptions) {
    const { onDefect = console.error, afterMutation } = options;
    const parts = contextPartsOf(options, new DatabaseWork());
    this.settings = parts.settings;
    this.#parts = { ...parts, windows: new RateWindows(), afterMutation, onDefect };
    this.#current = new MemoryState(tablesOfNew(options), this.#parts);
  }

  get hasFaults(): boolean {
    return this.#current.row.hasFaults;
  }

  requestContext(): MemoryView {
    return this.#current.context;
  }

  context(): MemoryView {
    return this.#current.context;
  }

  run<T>(_access: Access, step: (view: TransactionView) => T): T {
    return this.#current.run(step);
  }

  planJobs(): void {
    this.#current.queue.arm();
  }

  advanceTo(time: number): Promise<void> {
    return this.#current.queue.advanceTo(time);
  }

  tenantRows(workspaceId: string): DefaultRows {
    return new DefaultRows(() => this.#current.context.store, workspaceId);
  }

  readAll<T>(look: (states: TableStates) => T): T {
    return structuredClone(look(this.#current.states()));
  }

  /** Takes effect at once; resolves when the real databases of removed records are deleted. */
  replaceAll(next: (states: TableStates) => TableStates, replaced?: () => void): Promise<void> {
    const { queue } = this.#current;
    const left = this.#current.states();
    const entered = next(left);
    this.#current = new MemoryState(entered, this.#parts);
    // Jobs that are running finish in the old state.
    queue.close();
    replaced?.();
    const { databaseEngine } = this.#parts;
    return Promise.all([
      ...rowsRemoved(left, entered, "backups").map(({ id }) => databaseEngine.dropBackup(id)),
      ...rowsRemoved(left, entered, "databases").map(({ id }) => databaseEngine.drop(id)),
      queue.idle(),
    ]).then(() => undefined);
  }

  async save(): Promise<void> {
    await this.#current.changes.save();
  }

  idle(): Promise<void> {
    return this.#current.queue.idle();
  }

  start(): void {
    this.#current.queue.reopen();
  }

  async stop(): Promise<void> {
    this.#current.queue.close();
    await this.idle();
  }
}
