import type { ClockSource } from "../control/clock-control.js";
import { DefaultRows } from "../control/default-rows.js";
import { read } from "../control/change.js";
import type { TenantRows } from "../control/tenant.js";
import { JobRunner } from "../jobs/job-runner.js";
import type { JobWhere } from "../jobs/table-scheduler.js";
import { SignInGate } from "../oauth/sign-in-gate.js";
import { readOnly, withoutLocks } from "../store/backing.js";
import type { PartialCollection } from "../store/partial-collection.js";
import type { PartialTables } from "../store/partial-tables.js";
import type { Records, TableStates } from "../store/records.js";
import type { ClientRow, Row } from "../store/rows.js";
import type { Everything } from "../store/store.js";
import { VirtualClock } from "../values/clock.js";
import { mergeSettings } from "../values/merge-settings.js";
import { Pauses } from "../values/pauses.js";
import { RandomIds } from "../values/random-ids.js";
import type { Settings } from "../values/settings.js";
import { StateChangedError } from "../values/state-changed-error.js";
import { DatabaseWork } from "../world/database-work.js";
import { memoryDatabaseEngine } from "../world/memory-database-engine.js";
import {
  type FaultRow,
  type GeneratorRow,
  type InitialRow,
  type Installed,
  type JobRow,
  type ServerRecords,
  type ServerRow,
  type ServerStep,
  generatorId,
  initialId,
  serverId,
} from "../world/server-rows.js";
import type { ServerWorld } from "../world/server-world.js";
import type { Transactions } from "../world/transactions.js";
import type { World } from "../world/world.js";
import { type WorldParts, commonWorld } from "./common-world.js";
import type { EngineOptions } from "./engine-options.js";
import { withEnsuredClients } from "./ensured-clients.js";
import { matchDatabases, whenAvailable } from "./replaced-data.js";
import { runJob } from "./run-job.js";
import type { Backend } from "./server.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";
import { rowsIn, serverTablesOf, snapshotOfTables, tablesOf } from "./stored-snapshot.js";
import { StoredState, type StoredStep } from "./stored-state.js";

/** `deterministic`, `startAt`, `frozen`, `snapshot` and `initial` apply only to records that no server has used. */
export interface StoredServerOptions extends Omit<EngineOptions, "afterMutation"> {
  /** The rows. Several servers may use them at the same time. */
  readonly records: Records;
}

/** Keeps the state of a server in records that survive it, and that other servers may share. */
export class StoredBackend implements Backend<"async"> {
  readonly settings: Settings;
  readonly records: ServerRecords<"async">;
  readonly clock: ClockSource<"async">;
  readonly #records: Records;
  readonly #state: StoredState;
  readonly #runner: JobRunner;
  readonly #parts: WorldParts;
  readonly #random = new RandomIds(null);
  readonly #pauses = new Pauses();

  constructor(options: StoredServerOptions) {
    const { records, onDefect = console.error, signInKey } = options;
    const settings = mergeSettings(options.settings);
    const databaseEngine = options.databaseEngine ?? memoryDatabaseEngine("mgmt.test");
    const gate = signInKey === undefined ? undefined : new SignInGate(signInKey, settings.authUrl);
    const databaseWork = new DatabaseWork((names, work) =>
      records.sessions.exclusively(
        names.map((name) => `database ${name}`),
        work,
      ),
    );
    const state: StoredState = new StoredState({
      ...{ records, settings, gate, databaseEngine, onDefect },
      onScheduled: (scheduled) => this.#runner.adopt(scheduled),
    });
    this.settings = settings;
    this.#records = records;
    this.#state = state;
    this.#parts = { settings, databaseEngine, databaseWork, gate };
    this.#runner = new JobRunner({
      sessions: records.sessions,
      onDefect,
      now: () => state.state.clock.now(),
      transact: (purpose, step, ids = []) =>
        state.run(
          { mode: purpose === "read" ? "read" : "write", locks: purpose === "take" ? ["jobs"] : [] },
          ({ tables }) => step(tables.table<JobRow, JobWhere>("jobs"), tables),
          { wants: () => ids.map((id) => ({ read: "row", table: "jobs", id })) },
        ),
      perform: (job, isAwaited) =>
        runJob(job.kind, isAwaited, onDefect, async (handler) =>
          handler(this.world(), job.subject, job.change),
        ),
      workspacesOf: (scheduled) =>
        this.world().transact(
          readOnly,
          (world) => scheduled.map(({ subject }) => workspaceOf(world, subject)),
          () =>
            scheduled.flatMap(({ subject: id }) => [
              { read: "row", table: "databases", id },
              { read: "row", table: "backups", id },
            ]),
        ),
    });
    this.records = {
      hasFaults: () => state.state.row.hasFaults,
      read: (step) => state.run(readOnly, (stored) => step(this.#stepOf(stored, () => undefined))),
      change: async (lock, step) => {
        let isInstalled = false;
        const result = await state.run({ mode: "write", locks: [lock] }, (stored) => {
          isInstalled = false;
          return step(this.#stepOf(stored, () => (isInstalled = true)));
        });
        if (isInstalled) await state.refresh();
        return result;
      },
    };
    this.clock = {
      read: async (look) => look((await state.refresh()).clock),
      change: (change) => this.#changeClock(change),
      advanceTo: async (time) => {
        const moveForward = (clock: VirtualClock, target: number): void => {
          if (target > clock.now()) clock.moveTo(target);
        };
        await this.#runner.advance(time, (dueAt, tables) =>
          changeClock(tables, (clock) => moveForward(clock, dueAt)),
        );
        await this.#changeClock((clock) => moveForward(clock, time));
      },
    };
  }

  /** Loads the state of the server. */
  async refresh(): Promise<void> {
    await this.#state.refresh();
  }

  /**
   * Returns the world for one request. Its first transaction throws a `StateChangedError` if the keys, the clock, the rate limit
   * or the faults have changed since; the later ones run in the changed state, because the request may have changed rows.
   */
  requestWorld(): ServerWorld<"async"> {
    const { state } = this.#state;
    let isFirst = true;
    return this.#worldWith(async (access, step, wants) => {
      try {
        const ran = await this.#state.run(access, ({ world }) => step(world), {
          wants,
          ...(isFirst && { expected: state }),
        });
        isFirst = false;
        return ran;
      } catch (error) {
        isFirst &&= error instanceof StateChangedError;
        throw error;
      }
    });
  }

  /** Returns the world for jobs and the control surface, whose transactions run in any state of the server. */
  world(): ServerWorld<"async"> {
    return this.#worldWith((access, step, wants) =>
      this.#state.run(access, ({ world }) => step(world), { wants }),
    );
  }

  tenantRows(workspaceId: string): Promise<TenantRows> {
    return read(this.world(), ({ store }) => {
      const { workspace, user, serviceToken } = new DefaultRows(() => store, workspaceId);
      return { workspace, user, serviceToken };
    });
  }

  async snapshot(): Promise<Snapshot> {
    return snapshotOfTables(await this.#records.readAll());
  }

  /** Stores the current state as the one that `reset` restores. */
  async keepAsInitial(): Promise<void> {
    const snapshot = await this.snapshot();
    await this.#state.run(withoutLocks, ({ tables }) => {
      tables.table<InitialRow, Everything>("server").update(initialId, { snapshot });
    });
  }

  async load(snapshot: Snapshot): Promise<void> {
    const entered = readSnapshot(snapshot);
    await this.#enter((states) =>
      tablesOf(withEnsuredClients(entered, rowsIn<ClientRow>(states, "clients")), serverTablesOf(states)),
    );
  }

  async reset(cleared: () => void): Promise<void> {
    await this.#enter((states) => {
      const { initial, draws } = serverTablesOf(states);
      return tablesOf(withEnsuredClients(initial, rowsIn<ClientRow>(states, "clients")), { initial, draws });
    });
    cleared();
  }

  /** Resolves at once, because every change is stored when its transaction ends. */
  save(): Promise<void> {
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return this.#runner.idle();
  }

  start(): void {
    this.#runner.open();
  }

  async stop(): Promise<void> {
    this.#pauses.end();
    this.#runner.close();
    await this.#runner.idle();
  }

  /** Runs the jobs of a row now, even before `start`. */
  finishJobs(subject: string): Promise<void> {
    return this.#runner.finish(subject);
  }

  async #enter(next: (states: TableStates) => TableStates): Promise<void> {
    const replacement = await this.#records.replaceAll(next);
    await whenAvailable(() => this.#state.refresh(), this.#pauses);
    await Promise.all([matchDatabases(replacement, this.world(), this.#pauses), this.#runner.idle()]);
    this.#runner.look();
  }

  #worldWith(transact: Transactions<"async">["transact"]): ServerWorld<"async"> {
    const { state } = this.#state;
    return {
      ...commonWorld(this.#parts, state),
      clock: state.clock,
      transact,
      runJob: (job) => this.#runner.runNow(job),
      finishJobs: (subject) => this.#runner.finish(subject),
      epoch: state.row.epoch,
      countWants: (operation, principal) => this.#state.countWants(operation, principal),
      // The rows are stored when their transaction ends.
      saved: () => undefined,
    };
  }

  #stepOf({ tables, row, world }: StoredStep, onInstall: () => void): ServerStep {
    const generators = ownTable<GeneratorRow>(tables, "server");
    return {
      installed: row,
      faults: ownTable<FaultRow>(tables, "faults"),
      now: world.clock.now(),
      install: (changes: Partial<Installed>) => {
        onInstall();
        ownTable<ServerRow>(tables, "server").update(serverId, changes);
      },
      draw: () => {
        const draws = generators.get(generatorId)?.draws ?? null;
        if (draws === null) return this.#random.fraction();
        const generator = new RandomIds(draws);
        const drawn = generator.fraction();
        generators.update(generatorId, { draws: generator.state });
        return drawn;
      },
    };
  }

  async #changeClock(change: (clock: VirtualClock) => void): Promise<void> {
    await this.#state.run({ mode: "write", locks: ["clock"] }, ({ tables }) => changeClock(tables, change));
    await this.#state.refresh();
    this.#runner.look();
  }
}

const ownTable = <T extends Row>(
  tables: PartialTables,
  name: "server" | "faults",
): PartialCollection<T, Everything> => tables.table(name);

const changeClock = (tables: PartialTables, change: (clock: VirtualClock) => void): void => {
  const server = ownTable<ServerRow>(tables, "server");
  const row = server.get(serverId);
  if (row === undefined) return;
  const clock = new VirtualClock(row.clock);
  change(clock);
  if (JSON.stringify(clock.state) !== JSON.stringify(row.clock))
    server.update(serverId, { clock: clock.state });
};

/** Returns the id of the workspace that has a database or backup; empty for any other row. */
const workspaceOf = ({ store }: World, subject: string): string => {
  const databaseId = store.backups.get(subject)?.databaseId ?? subject;
  return store.databases.get(databaseId)?.workspaceId ?? "";
};
