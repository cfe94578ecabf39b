import type { OperationId } from "../generated/operations.js";
import { behaviors } from "../rules/behaviors.js";
import type { ClockState } from "../time/clock.js";
import { environmentRecorder } from "../request/coverage.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import { type BodyPolicy, Engine } from "../request/engine.js";
import type { EngineRequest, EngineResponse } from "../request/message.js";
import { Faults } from "../request/faults.js";
import { RandomIds, seedRandom } from "../request/random-ids.js";
import { memoryDatabaseEngine } from "../request/memory-database-engine.js";
import { SignInGate } from "../oauth/sign-in-gate.js";
import { assertKnownOptions } from "../request/known-options.js";
import { type PartialSettings, mergeSettings } from "../request/merge-settings.js";
import { RateLimiter } from "../request/limit.js";
import { type LoggedRequest, RequestLog } from "../request/request-log.js";
import type { RateLimitSettings, Settings } from "../request/settings.js";
import { withEnsuredClients } from "./ensured-clients.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";
import type { Store } from "../store/store.js";
import { ApprovalsControl } from "../control/approvals-control.js";
import type { ControlledEngine } from "../control/controlled-engine.js";
import type { DataPlane } from "../control/data-plane-control.js";
import { DataPlaneControl } from "../control/data-plane-control.js";
import { ClockControl, type Time, readTime } from "../control/clock-control.js";
import { Residents } from "../control/residents.js";
import { type LiveWorld, type ServerParts, firstSnapshot, snapshotOf, worldOf } from "./live-world.js";
import { OAuthControl } from "../control/oauth-control.js";
import { Seeder } from "../control/seeder.js";
import { StateControl } from "../control/state-control.js";
import { Tenant } from "../control/tenant.js";
import { TokenMint } from "../control/token-mint.js";

export interface EngineOptions {
  settings?: PartialSettings;
  /**
   * Seed of the generator of ids, names, passwords and keys. A seeded server starts with its clock frozen at `startAt`.
   * Its secrets can be guessed, so use a seed only in tests.
   */
  seed?: string;
  /** Initial time of the clock. Default: the system's time, or 2026-01-01T00:00:00Z with a seed. */
  startAt?: Time;
  /** Whether the clock is frozen until it is moved. Default: true with a seed, otherwise false. */
  frozen?: boolean;
  /** Initial state. Default: `initial`, or else two workspaces with one owner each. */
  snapshot?: Snapshot;
  /** State that `reset` restores. Default: two workspaces with one owner each. */
  initial?: Snapshot;
  /** Creates the databases. Default: an engine that generates addresses, and whose work succeeds immediately. */
  databaseEngine?: DatabaseEngine;
  /** Controls the connections to the databases. Default: none, because the databases are not real. */
  dataPlane?: DataPlane;
  /**
   * Text that a browser must send once before it can sign in or see an approval: at least 32 random bytes. Default: none, which
   * lets everybody who can reach the server on loopback sign in.
   */
  signInKey?: string;
  /** Called after every change of the state, and awaited before the response that shows the change is sent. */
  afterMutation?: () => void | Promise<void>;
  /**
   * Whether to check each response against the contract. One that violates it is replaced by a 500 and reported to
   * `onDefect`. Default: false.
   */
  validateResponses?: boolean;
  /** Called with errors inside the server. Default: `console.error`. */
  onDefect?: (error: unknown) => void;
  /** Maximum number of requests in the log. Default: 1000. */
  logCapacity?: number;
}

const engineOptions: Record<keyof EngineOptions, true> = {
  settings: true,
  seed: true,
  startAt: true,
  frozen: true,
  snapshot: true,
  initial: true,
  databaseEngine: true,
  dataPlane: true,
  signInKey: true,
  afterMutation: true,
  validateResponses: true,
  onDefect: true,
  logCapacity: true,
};

/**
 * Throws for an option that does not exist.
 *
 * @param others names of further options that are valid, for classes that have more than the engine.
 * @throws TypeError
 */
export const assertEngineOptions = (given: object, others: readonly string[] = []): void =>
  assertKnownOptions(given, [...others, ...Object.keys(engineOptions)]);

/** A part whose methods of these names return at once, because all rows are in memory. */
type InMemory<T, Name extends keyof T> = {
  [Key in keyof T]: Key extends Name
    ? T[Key] extends (...parameters: infer Parameters) => infer Result
      ? (...parameters: Parameters) => Exclude<Result, Promise<unknown>>
      : T[Key]
    : T[Key];
};

const seededStart = Date.UTC(2026, 0, 1);

/** The reference server without a network: takes requests and returns responses as plain data. */
export class ReferenceEngine implements ControlledEngine {
  readonly settings: Settings;
  readonly clock: ClockControl;
  readonly approvals: InMemory<ApprovalsControl, "list">;
  readonly faults: Faults;
  readonly dataPlane: InMemory<DataPlaneControl, "addFault">;
  readonly oauth: InMemory<OAuthControl, "deny">;
  readonly states: StateControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  /** Rows that a new server starts with: two users with a workspace each, a service token, an agent. */
  readonly residents: Residents;
  readonly #engine: Engine;
  readonly #rateLimiter: RateLimiter;
  readonly #log: RequestLog;
  readonly #parts: ServerParts;
  readonly #initial: Snapshot;
  #world: LiveWorld;

  /** @throws TypeError for an option that does not exist or is not valid. */
  constructor(options: EngineOptions = {}) {
    assertEngineOptions(options);
    const { seed = null, onDefect = console.error, afterMutation } = options;
    const initial = options.initial && readSnapshot(options.initial);
    const snapshot = options.snapshot && readSnapshot(options.snapshot);
    this.settings = mergeSettings(options.settings);
    this.#rateLimiter = new RateLimiter(this.settings.rateLimit);
    this.#parts = {
      settings: this.settings,
      databaseEngine: options.databaseEngine ?? memoryDatabaseEngine("mgmt.test"),
      gate:
        options.signInKey === undefined
          ? undefined
          : new SignInGate(options.signInKey, this.settings.authUrl),
      rateLimiter: this.#rateLimiter,
      afterMutation,
      onDefect,
    };
    this.#initial = initial ?? firstSnapshot(seed, startOf(options));
    this.#world = worldOf(snapshot ?? this.#initial, this.#parts);
    const world = (): LiveWorld => this.#world;

    const draws = new RandomIds(seed === null ? null : seedRandom(`${seed} faults`));
    this.faults = new Faults(() => draws.fraction());
    this.#log = new RequestLog(options.logCapacity ?? 1_000);
    this.#engine = new Engine({
      world,
      behaviors,
      faults: this.faults,
      log: this.#log,
      recorder: environmentRecorder(),
      validateResponses: options.validateResponses ?? false,
      onDefect,
      requestIdPrefix: `req_${seed === null ? draws.label(10) : "seeded"}_`,
    });
    this.clock = new ClockControl(world);
    // Transactions in memory return at once.
    this.approvals = new ApprovalsControl(world) as InMemory<ApprovalsControl, "list">;
    this.states = new StateControl(world);
    this.dataPlane = new DataPlaneControl(
      (id) => this.#world.store.databases.get(id) !== undefined,
      options.dataPlane,
    ) as InMemory<DataPlaneControl, "addFault">;
    this.residents = new Residents(() => this.#world.store);
    this.oauth = new OAuthControl(world) as InMemory<OAuthControl, "deny">;
    this.seed = new Seeder(world, this.#engine, this.states);
    this.tokens = new TokenMint(world);
  }

  /**
   * Creates a workspace with an owner and a service token of its own. Tests that run at the same time can share this server, each with
   * its own tenant: no credential of one reaches the resources of another. The clock, faults, and rate limit are shared.
   *
   * @param name of the user and the workspace. Default: a generated name.
   */
  async createTenant(name: string = this.#world.ids.name()): Promise<Tenant> {
    const user = await this.seed.user({ name });
    const { id } = await this.seed.workspace({ name, ownerId: user.id });
    await this.seed.serviceToken({ name: "default" }, { workspaceId: id });
    const world = (): LiveWorld => this.#world;
    const residents = new Residents(() => this.#world.store, id);
    return new Tenant({
      residents,
      tokens: new TokenMint(world, id),
      seed: new Seeder(world, this.#engine, this.states, id),
    });
  }

  /** Handles a request. Returns a promise only when a step has to wait. Never throws or rejects. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#engine.handle(request);
  }

  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy {
    return this.#engine.bodyPolicy(method, path);
  }

  /** The rows of the current world. */
  get store(): Store {
    return this.#world.store;
  }

  /** The latest requests, oldest first. */
  get requests(): LoggedRequest[] {
    return this.#log.list();
  }

  /** Calls the listener for each further request. Returns a function that removes the listener. */
  followRequests(listener: (entry: LoggedRequest) => void): () => void {
    return this.#log.follow(listener);
  }

  /**
   * Limits the requests of each principal, and restarts their counts. Without `operations`, the limit applies to the operations
   * that the contract marks as rate-limited: those of apps, services, and deployments.
   *
   * @param limit null for no limit.
   * @returns the operations that the limit applies to; empty for no limit.
   * @throws TypeError when a number is not valid or an operation does not exist.
   */
  setRateLimit(limit: RateLimitSettings | null): OperationId[] {
    return this.#rateLimiter.start(limit);
  }

  /** Returns a copy of the whole state as plain JSON. */
  snapshot(): Snapshot {
    return structuredClone(snapshotOf(this.#world));
  }

  /**
   * Replaces the state with a snapshot of this or another server. Takes effect immediately; resolves when the real
   * databases of removed records are deleted.
   *
   * @throws Error when the value is not a snapshot.
   */
  load(snapshot: Snapshot): Promise<void> {
    return this.#enter(structuredClone(readSnapshot(snapshot)));
  }

  /**
   * Restores the initial state and clock, removes all faults, clears the request log and restores the rate limit of the
   * settings. Takes effect immediately; resolves when the real databases of removed records are deleted.
   */
  reset(): Promise<void> {
    const entered = this.#enter(this.#initial);
    this.faults.clear();
    this.dataPlane.reset();
    this.#log.clear();
    this.setRateLimit(this.settings.rateLimit);
    return entered;
  }

  /** Calls `afterMutation`, even when no row has changed. */
  async save(): Promise<void> {
    await this.#world.changes.save();
  }

  /** Resolves when no background work is running. */
  idle(): Promise<void> {
    return this.#world.scheduler.idle();
  }

  /** Resumes background work after `stop`. */
  start(): void {
    const { scheduler, clock } = this.#world;
    scheduler.reopen(clock);
  }

  /** Stops starting background work. Resolves when the running work is done. */
  async stop(): Promise<void> {
    this.#world.scheduler.close();
    await this.idle();
  }

  /** Replaces the world. Jobs that are running finish in the old one. */
  async #enter(snapshot: Snapshot): Promise<void> {
    const { store: left, scheduler, databaseEngine } = this.#world;
    scheduler.close();
    this.#world = worldOf(withEnsuredClients(snapshot, left.clients.list({})), this.#parts);
    const { store } = this.#world;
    await Promise.all([
      ...left.backups
        .list({})
        .filter(({ id }) => !store.backups.get(id))
        .map(({ id }) => databaseEngine.dropBackup(id)),
      ...left.databases
        .list({})
        .filter(({ id }) => !store.databases.get(id))
        .map(({ id }) => databaseEngine.drop(id)),
      scheduler.idle(),
    ]);
  }
}

export const startOf = ({ seed, startAt, frozen = seed !== undefined }: EngineOptions): ClockState => {
  const start = startAt === undefined ? (seed === undefined ? Date.now() : seededStart) : readTime(startAt);
  return frozen
    ? { frozenAt: start }
    : { offset: startAt === undefined && seed === undefined ? 0 : start - Date.now() };
};
