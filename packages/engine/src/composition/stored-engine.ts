import { setMaxListeners } from "node:events";
import { ApprovalsControl } from "../control/approvals-control.js";
import { type ControlledWorld, change, read } from "../control/controlled-world.js";
import { DataPlaneControl } from "../control/data-plane-control.js";
import { OAuthControl } from "../control/oauth-control.js";
import { Residents } from "../control/residents.js";
import { Seeder } from "../control/seeder.js";
import { StateControl } from "../control/state-control.js";
import { StoredClockControl } from "../control/stored-clock-control.js";
import { StoredFaults } from "../control/stored-faults.js";
import { Tenant } from "../control/tenant.js";
import { TokenMint } from "../control/token-mint.js";
import type { OperationId } from "../generated/operations.js";
import type { ServedEngine } from "../control/served-engine.js";
import { SignInGate } from "../oauth/sign-in-gate.js";
import { environmentRecorder } from "../request/coverage.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import { DatabaseWork } from "../request/database-work.js";
import { type BodyPolicy, Engine } from "../request/engine.js";
import { readRateLimit } from "../request/limit.js";
import { memoryDatabaseEngine } from "../request/memory-database-engine.js";
import { mergeSettings } from "../request/merge-settings.js";
import type { EngineRequest, EngineResponse } from "../request/message.js";
import { RandomIds, seedRandom } from "../request/random-ids.js";
import { type LoggedRequest, RequestLog } from "../request/request-log.js";
import type { RateLimitSettings, Settings } from "../request/settings.js";
import { rowWant } from "../request/wants.js";
import type { World } from "../request/world.js";
import { behaviors } from "../rules/behaviors.js";
import type { Records, TableStates } from "../store/records.js";
import type { ClientRow, ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import { type InitialRow, type JobRow, type ServerRow, initialId, serverId } from "../request/server-rows.js";
import { runJob } from "./run-job.js";
import { JobRunner } from "../time/job-runner.js";
import type { JobWhere } from "../time/stored-scheduler.js";
import { firstSnapshot } from "./live-world.js";
import { matchDatabases, whenAvailable } from "./replaced-data.js";
import { type EngineOptions, startOf } from "./reference-engine.js";
import { withEnsuredClients } from "./ensured-clients.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";
import { StoredServer } from "./stored-server.js";
import { rowsIn, serverTablesOf, snapshotOfTables, tablesOf } from "./stored-snapshot.js";
import { type StoredWorldParts, lastingWorld, requestWorld } from "./stored-world.js";
import { readOnly, withoutLocks } from "../store/backing.js";

/** `seed`, `startAt`, `frozen`, `snapshot` and `initial` apply only to records that no server has used. */
export interface StoredEngineOptions extends Omit<EngineOptions, "afterMutation"> {
  /** The rows. Several servers may use them at the same time. */
  readonly records: Records;
}

/** Rows that a new server starts with. */
export interface ResidentRows {
  readonly workspace: WorkspaceRow;
  readonly user: UserRow;
  readonly serviceToken: ServiceTokenRow;
  readonly otherWorkspace: WorkspaceRow;
  readonly otherUser: UserRow;
}

/** The reference server with its rows in a database that survives it, and that other servers may share. */
export class StoredEngine implements ServedEngine {
  readonly settings: Settings;
  readonly clock: StoredClockControl;
  readonly approvals: ApprovalsControl;
  readonly faults: StoredFaults;
  readonly dataPlane: DataPlaneControl;
  readonly oauth: OAuthControl;
  readonly states: StateControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  /** Whether no server had used the records before. */
  readonly isNew: boolean;
  readonly #records: Records;
  readonly #server: StoredServer;
  readonly #engine: Engine;
  readonly #log: RequestLog;
  readonly #runner: JobRunner;
  readonly #world: () => ControlledWorld;
  readonly #databaseEngine: DatabaseEngine;
  readonly #stopped = new AbortController();

  private constructor(options: StoredEngineOptions, parts: StoredWorldParts, isNew: boolean) {
    const { records, onDefect = console.error } = options;
    const { server } = parts;
    const runner = parts.runner();
    this.settings = parts.settings;
    this.isNew = isNew;
    this.#records = records;
    this.#server = server;
    this.#runner = runner;
    this.#databaseEngine = parts.databaseEngine;
    this.#log = new RequestLog(options.logCapacity ?? 1_000);
    this.faults = new StoredFaults(server);
    const world = (): ControlledWorld => lastingWorld(parts);
    this.#world = world;
    // All databases that wait for the database server listen.
    setMaxListeners(0, this.#stopped.signal);
    this.#engine = new Engine({
      world: () => requestWorld(parts),
      behaviors,
      faults: this.faults,
      log: this.#log,
      recorder: environmentRecorder(),
      validateResponses: options.validateResponses ?? false,
      onDefect,
      requestIdPrefix: `req_${new RandomIds(null).label(10)}_`,
    });
    this.clock = new StoredClockControl(server, runner);
    this.approvals = new ApprovalsControl(world);
    this.states = new StateControl(world);
    this.dataPlane = new DataPlaneControl(
      (id) => this.read(({ store }) => store.databases.get(id) !== undefined),
      options.dataPlane,
    );
    this.oauth = new OAuthControl(world);
    this.seed = new Seeder(world, this.#engine, this.states);
    this.tokens = new TokenMint(world);
  }

  /**
   * Opens the server of the records, and creates its state if no server has used them. Jobs run after `start`.
   *
   * @throws DatabaseUnavailableError when the records cannot be reached; Error when `snapshot` or `initial` is not a snapshot.
   */
  static async open(options: StoredEngineOptions): Promise<StoredEngine> {
    const { records, seed = null, onDefect = console.error } = options;
    const initial = options.initial ? readSnapshot(options.initial) : firstSnapshot(seed, startOf(options));
    const snapshot = options.snapshot ? readSnapshot(options.snapshot) : initial;
    const draws = seed === null ? null : seedRandom(`${seed} faults`);
    const isNew = await records.fill(tablesOf(snapshot, { initial, draws }));
    const settings = mergeSettings(options.settings);
    const databaseEngine = options.databaseEngine ?? memoryDatabaseEngine("mgmt.test");
    const { signInKey } = options;
    const gate = signInKey === undefined ? undefined : new SignInGate(signInKey, settings.authUrl);
    const server: StoredServer = new StoredServer({
      records,
      settings,
      gate,
      databaseEngine,
      onDefect,
      onScheduled: (scheduled) => runner.adopt(scheduled),
    });
    const databaseWork = new DatabaseWork((names, work) =>
      records.sessions.exclusively(
        names.map((name) => `database ${name}`),
        work,
      ),
    );
    const parts: StoredWorldParts = {
      ...{ server, settings, databaseEngine, databaseWork, gate },
      runner: () => runner,
    };
    const runner: JobRunner = new JobRunner({
      sessions: records.sessions,
      onDefect,
      now: () => server.state.clock.now(),
      transact: (purpose, step, ids = []) =>
        server.run(
          { mode: purpose === "read" ? "read" : "write", locks: purpose === "take" ? ["jobs"] : [] },
          ({ tables }) => step(tables.table<JobRow, JobWhere>("jobs"), tables),
          { wants: () => ids.map((id) => ({ read: "row", table: "jobs", id })) },
        ),
      perform: (job, isAwaited) =>
        runJob(job.kind, isAwaited, onDefect, async (handler) =>
          handler(lastingWorld(parts), job.subject, job.change),
        ),
      workspacesOf: async (scheduled) =>
        lastingWorld(parts).transact(
          readOnly,
          (world) => scheduled.map(({ subject }) => workspaceOf(world, subject)),
          () =>
            scheduled.flatMap(({ subject }) => [rowWant("database", subject), rowWant("backup", subject)]),
        ),
    });
    await server.refresh();
    return new StoredEngine(options, parts, isNew);
  }

  /** Handles a request. Never rejects. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#engine.handle(request);
  }

  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy {
    return this.#engine.bodyPolicy(method, path);
  }

  /** Runs a synchronous step that changes nothing, on one snapshot of the rows. */
  read<T>(step: (world: World) => T): Promise<T> {
    return read(this.#world(), step);
  }

  /** Runs a synchronous step in a transaction. It may run more than once. */
  async write<T>(locks: readonly string[], step: (world: World) => T): Promise<T> {
    return this.#world().transact({ mode: "write", locks }, step);
  }

  /** Returns the rows that a new server starts with. Throws a `ControlError` when one of them was deleted. */
  rows(): Promise<ResidentRows> {
    return this.read(({ store }) => {
      const { workspace, user, serviceToken, otherWorkspace, otherUser } = new Residents(() => store);
      return { workspace, user, serviceToken, otherWorkspace, otherUser };
    });
  }

  /**
   * Creates a workspace with an owner and a service token of its own.
   *
   * @param name of the user and the workspace. Default: a generated name.
   */
  async createTenant(name?: string): Promise<Tenant> {
    const tenantName = name ?? (await change(this.#world(), ({ ids }) => ids.name()));
    const user = await this.seed.user({ name: tenantName });
    const { id } = await this.seed.workspace({ name: tenantName, ownerId: user.id });
    await this.seed.serviceToken({ name: "default" }, { workspaceId: id });
    const rows = await this.read(({ store }) => {
      const { workspace, user: owner, serviceToken } = new Residents(() => store, id);
      return { workspace, user: owner, serviceToken };
    });
    return new Tenant({
      residents: rows,
      tokens: new TokenMint(this.#world, id),
      seed: new Seeder(this.#world, this.#engine, this.states, id),
    });
  }

  /** The latest requests of this process, oldest first. */
  get requests(): LoggedRequest[] {
    return this.#log.list();
  }

  /** Calls the listener for each further request. Returns a function that removes the listener. */
  followRequests(listener: (entry: LoggedRequest) => void): () => void {
    return this.#log.follow(listener);
  }

  /**
   * Limits the requests of each principal, and restarts their counts.
   *
   * @param limit null for no limit.
   * @returns the operations that the limit applies to; empty for no limit.
   * @throws TypeError when a number is not valid or an operation does not exist.
   */
  async setRateLimit(limit: RateLimitSettings | null): Promise<OperationId[]> {
    const limited = limit ? [...readRateLimit(limit).limited] : [];
    await this.#server.run({ mode: "write", locks: ["rate limit"] }, ({ tables, world }) => {
      const server = tables.table<ServerRow, Readonly<Record<string, never>>>("server");
      server.update(serverId, { rateLimit: limit, rateEpoch: world.ids.label(24) });
    });
    await this.#server.refresh();
    return limited;
  }

  /** Returns the whole state as plain JSON. */
  async snapshot(): Promise<Snapshot> {
    return snapshotOfTables(await this.#records.readAll());
  }

  /** Stores the current state as the one that `reset` restores. */
  async keepAsInitial(): Promise<void> {
    const snapshot = await this.snapshot();
    await this.#server.run(withoutLocks, ({ tables }) => {
      const server = tables.table<InitialRow, Readonly<Record<string, never>>>("server");
      server.update(initialId, { snapshot });
    });
  }

  /**
   * Replaces the state with a snapshot of this or another server. Resolves when the real databases of removed records are
   * deleted, and those of records that are there again exist, without their data. Backups whose data is gone are `failed` then.
   *
   * @throws Error when the value is not a snapshot.
   */
  async load(snapshot: unknown): Promise<void> {
    const read = readSnapshot(snapshot);
    await this.#enter((states) =>
      tablesOf(withEnsuredClients(read, rowsIn<ClientRow>(states, "clients")), serverTablesOf(states)),
    );
  }

  /**
   * Restores the initial state and clock, removes all faults and restores the rate limit of the settings. Of this process, also
   * clears the request log and the faults of connections to databases. Resolves when the real databases match the records, as for
   * `load`.
   */
  async reset(): Promise<void> {
    await this.#enter((states) => {
      const { initial, draws } = serverTablesOf(states);
      return tablesOf(withEnsuredClients(initial, rowsIn<ClientRow>(states, "clients")), { initial, draws });
    });
    this.dataPlane.reset();
    this.#log.clear();
  }

  /** Resolves at once, because every change is stored when its transaction ends. */
  save(): Promise<void> {
    return Promise.resolve();
  }

  /** Resolves when this process runs no job. */
  idle(): Promise<void> {
    return this.#runner.idle();
  }

  /**
   * Runs the jobs of these rows now, even before `start`. Resolves when they are done, or cannot reach the database server.
   *
   * @param subjects ids of the rows.
   */
  async finishJobs(subjects: readonly string[]): Promise<void> {
    await Promise.all(subjects.map((subject) => this.#runner.finish(subject)));
  }

  /** Starts running jobs. */
  start(): void {
    this.#runner.open();
  }

  /** Stops starting jobs. Resolves when the running ones are done. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#runner.close();
    await this.#runner.idle();
  }

  async #enter(next: (states: TableStates) => TableStates): Promise<void> {
    const replacement = await this.#records.replaceAll(next);
    const { signal } = this.#stopped;
    await whenAvailable(() => this.#server.refresh(), signal);
    await Promise.all([matchDatabases(replacement, this.#world(), signal), this.#runner.idle()]);
    this.#runner.look();
  }
}

/** Returns the id of the workspace that has a database or backup; empty for any other row. */
const workspaceOf = ({ store }: World, subject: string): string => {
  const databaseId = store.backups.get(subject)?.databaseId ?? subject;
  return store.databases.get(databaseId)?.workspaceId ?? "";
};
