import type { ClockSource } from "../control/clock-control.js";
import { DefaultRows } from "../control/default-rows.js";
import { type RateLimit, countRequest, hitOf } from "../request/limit.js";
import { SignInGate } from "../oauth/sign-in-gate.js";
import { MemoryCollection } from "../store/memory-collection.js";
import { RateWindows } from "../store/rate-window.js";
import type { Everything } from "../store/store.js";
import { mergeSettings } from "../values/merge-settings.js";
import type { Settings } from "../values/settings.js";
import { DatabaseWork } from "../world/database-work.js";
import { memoryDatabaseEngine } from "../world/memory-database-engine.js";
import {
  type FaultRow,
  type Installed,
  type ServerRecords,
  type ServerStep,
  nothingInstalled,
} from "../world/server-rows.js";
import { type EngineOptions, startOf } from "./engine-options.js";
import { withEnsuredClients } from "./ensured-clients.js";
import { type MemoryParts, type MemoryState, firstSnapshot, snapshotOf, stateOf } from "./memory-state.js";
import type { Backend } from "./server.js";
import { rateLimitOf } from "./server-state.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";

/** Keeps the state of a server in the process's memory. All that it returns, it returns at once. */
export class MemoryBackend implements Backend<"sync"> {
  readonly settings: Settings;
  readonly records: ServerRecords<"sync">;
  readonly clock: ClockSource<"sync">;
  readonly #parts: MemoryParts;
  readonly #initial: Snapshot;
  readonly #windows = new RateWindows();
  readonly #faults = new MemoryCollection<FaultRow, Everything>([], () => undefined);
  #installed: Installed = nothingInstalled();
  #rateLimit: RateLimit | null;
  #state: MemoryState;

  /** @param draw returns a number in [0, 1), for faults with a probability. */
  constructor(options: EngineOptions, draw: () => number) {
    const { deterministic = null, onDefect = console.error, afterMutation, signInKey } = options;
    const initial = options.initial && readSnapshot(options.initial);
    const snapshot = options.snapshot && readSnapshot(options.snapshot);
    const settings = mergeSettings(options.settings);
    this.settings = settings;
    this.#rateLimit = rateLimitOf(this.#installed, settings);
    this.#parts = {
      settings,
      databaseEngine: options.databaseEngine ?? memoryDatabaseEngine("mgmt.test"),
      databaseWork: new DatabaseWork(),
      gate: signInKey === undefined ? undefined : new SignInGate(signInKey, settings.authUrl),
      countRequest: (operation, principal) =>
        countRequest(this.#rateLimit, operation, (limit) => {
          const now = this.#state.clock.now();
          const window = this.#windows.hit(hitOf(limit, this.#installed.rateEpoch, principal, now));
          return { window, now };
        }),
      afterMutation,
      onDefect,
    };
    this.#initial = initial ?? firstSnapshot(deterministic, startOf(options));
    this.#state = stateOf(snapshot ?? this.#initial, this.#parts);
    const step = (): ServerStep => ({
      installed: this.#installed,
      faults: this.#faults,
      now: this.#state.clock.now(),
      install: (changes) => this.#install({ ...this.#installed, ...changes }),
      draw,
    });
    this.records = {
      hasFaults: () => this.#faults.size > 0,
      read: (look) => look(step()),
      change: (_lock, make) => make(step()),
    };
    this.clock = {
      read: (look) => look(this.#state.clock),
      change: (make) => {
        const { clock, queue } = this.#state;
        make(clock);
        queue.arm();
      },
      advanceTo: (time) => this.#state.queue.advanceTo(time),
    };
  }

  get state(): MemoryState {
    return this.#state;
  }

  requestWorld(): MemoryState {
    return this.#state;
  }

  world(): MemoryState {
    return this.#state;
  }

  tenantRows(workspaceId: string): DefaultRows {
    return new DefaultRows(() => this.#state.store, workspaceId);
  }

  snapshot(): Snapshot {
    return structuredClone(snapshotOf(this.#state));
  }

  /** Takes effect at once; resolves when the real databases of removed records are deleted. */
  load(snapshot: Snapshot): Promise<void> {
    return this.#enter(structuredClone(readSnapshot(snapshot)));
  }

  /** Takes effect at once; resolves when the real databases of removed records are deleted. */
  reset(cleared: () => void): Promise<void> {
    const entered = this.#enter(this.#initial);
    for (const { id } of this.#faults.list({})) this.#faults.delete(id);
    this.#install(nothingInstalled());
    cleared();
    return entered;
  }

  async save(): Promise<void> {
    await this.#state.changes.save();
  }

  idle(): Promise<void> {
    return this.#state.queue.idle();
  }

  start(): void {
    this.#state.queue.reopen();
  }

  async stop(): Promise<void> {
    this.#state.queue.close();
    await this.idle();
  }

  #install(installed: Installed): void {
    this.#installed = installed;
    this.#rateLimit = rateLimitOf(installed, this.settings);
  }

  async #enter(snapshot: Snapshot): Promise<void> {
    const { store: left, queue, databaseEngine } = this.#state;
    // Jobs that are running finish in the old state.
    queue.close();
    this.#state = stateOf(withEnsuredClients(snapshot, left.clients.list({})), this.#parts);
    const { store } = this.#state;
    await Promise.all([
      ...left.backups
        .list({})
        .filter(({ id }) => !store.backups.get(id))
        .map(({ id }) => databaseEngine.dropBackup(id)),
      ...left.databases
        .list({})
        .filter(({ id }) => !store.databases.get(id))
        .map(({ id }) => databaseEngine.drop(id)),
      queue.idle(),
    ]);
  }
}
