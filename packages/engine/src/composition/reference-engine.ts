import { behaviors } from "../rules/behaviors.js";
import type { ClockState } from "../time/clock.js";
import { environmentRecorder } from "../request/coverage.js";
import type { DatabaseEngine } from "../request/database-engine.js";
import { type BodyPolicy, Engine } from "../request/engine.js";
import type { EngineRequest, EngineResponse } from "../request/message.js";
import { Faults } from "../request/faults.js";
import { RandomIds, seedRandom } from "../request/random-ids.js";
import { memoryDatabaseEngine } from "../request/memory-database-engine.js";
import { type PartialSettings, mergeSettings } from "../request/merge-settings.js";
import { RateLimiter } from "../request/limit.js";
import { type LoggedRequest, RequestLog } from "../request/request-log.js";
import type { RateLimitSettings, Settings } from "../request/settings.js";
import { type Snapshot, readSnapshot } from "./snapshot.js";
import type { Store } from "../store/store.js";
import { ApprovalsControl } from "../control/approvals-control.js";
import type { ControlledEngine } from "../control/controlled-engine.js";
import type { DataPlane } from "../control/data-plane.js";
import { DataPlaneControl } from "../control/data-plane-control.js";
import { ClockControl, type Time, readTime } from "../control/clock-control.js";
import { Residents } from "../control/residents.js";
import { type LiveWorld, type ServerParts, firstSnapshot, snapshotOf, worldOf } from "./live-world.js";
import { OAuthControl } from "../control/oauth-control.js";
import { Seeder } from "../control/seeder.js";
import { StateControl } from "../control/state-control.js";
import { TokenMint } from "../control/token-mint.js";

export interface EngineOptions {
  settings?: PartialSettings;
  /**
   * Makes ids, names, passwords and keys follow from this text, and the clock start frozen at `startAt`. Secrets of a seeded
   * server can be guessed: for tests only.
   */
  seed?: string;
  /** Where the clock starts. Default: the system's time, or 2026-01-01T00:00:00Z when seeded. */
  startAt?: Time;
  /** Whether the clock stands still until it is moved. Default: when seeded. */
  frozen?: boolean;
  /** State to start from, in place of two workspaces with an owner each. */
  snapshot?: Snapshot;
  /** State that `reset` goes back to. Default: two workspaces with an owner each. */
  initial?: Snapshot;
  /** What makes the databases behind the records. Default: addresses are invented, and all work succeeds at once. */
  databaseEngine?: DatabaseEngine;
  /** Controls the connections to the databases. Default: the databases are not real, so nobody connects to them. */
  dataPlane?: DataPlane;
  /** Awaited after every change of the state, before the answer that made it leaves. */
  afterMutation?: () => void | Promise<void>;
  /** Holds every answer against the contract; one that breaks it becomes a 500, and goes to `onDefect`. Default: false. */
  validateAnswers?: boolean;
  /** Told of what went wrong inside the server. Default: `console.error`. */
  onDefect?: (error: unknown) => void;
  /** How many requests the log keeps. Default: 1000. */
  logCapacity?: number;
}

const seededStart = Date.UTC(2026, 0, 1);

/** The reference server without a network: requests in, answers out, and everything about it within reach. */
export class ReferenceEngine implements ControlledEngine {
  readonly settings: Settings;
  readonly clock: ClockControl;
  readonly approvals: ApprovalsControl;
  readonly faults: Faults;
  readonly dataPlane: DataPlaneControl;
  readonly oauth: OAuthControl;
  readonly states: StateControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  /** Who is there from the start: two users with a workspace each, a service token, an agent. */
  readonly residents: Residents;
  readonly #engine: Engine;
  readonly #rateLimiter: RateLimiter;
  readonly #log: RequestLog;
  readonly #parts: ServerParts;
  readonly #initial: Snapshot;
  #world: LiveWorld;

  constructor(options: EngineOptions = {}) {
    const { seed = null, onDefect = console.error, afterMutation } = options;
    const initial = options.initial && readSnapshot(options.initial);
    const snapshot = options.snapshot && readSnapshot(options.snapshot);
    this.settings = mergeSettings(options.settings);
    this.#parts = {
      settings: this.settings,
      databaseEngine: options.databaseEngine ?? memoryDatabaseEngine("mgmt.test"),
      afterMutation,
      onDefect,
    };
    this.#initial = initial ?? firstSnapshot(seed, startOf(options));
    this.#world = worldOf(snapshot ?? this.#initial, this.#parts);
    const world = (): LiveWorld => this.#world;

    const draws = new RandomIds(seed === null ? null : seedRandom(`${seed} faults`));
    this.faults = new Faults(() => draws.fraction());
    this.#rateLimiter = new RateLimiter(this.settings.rateLimit);
    this.#log = new RequestLog(options.logCapacity ?? 1_000);
    this.#engine = new Engine({
      world,
      behaviors,
      rateLimiter: this.#rateLimiter,
      faults: this.faults,
      log: this.#log,
      recorder: environmentRecorder(),
      validateAnswers: options.validateAnswers ?? false,
      onDefect,
      requestIdPrefix: `req_${seed === null ? draws.label(10) : "seeded"}_`,
    });
    this.clock = new ClockControl(world);
    this.approvals = new ApprovalsControl(world);
    this.states = new StateControl(world);
    this.dataPlane = new DataPlaneControl(() => this.#world.store, options.dataPlane);
    this.residents = new Residents(() => this.#world.store);
    this.oauth = new OAuthControl(world, this.residents);
    this.seed = new Seeder(world, this.#engine, this.states, this.residents);
    this.tokens = new TokenMint(world, this.residents);
  }

  /** Answers a request; at once where nothing has to be waited for. Never throws. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#engine.handle(request);
  }

  /** Returns how to read the body of a request with this method and path. */
  bodyPolicy(method: string, path: string): BodyPolicy {
    return this.#engine.bodyPolicy(method, path);
  }

  /** The rows, to look at. */
  get store(): Store {
    return this.#world.store;
  }

  /** The latest requests, oldest first. */
  get requests(): LoggedRequest[] {
    return this.#log.list();
  }

  /** Calls the listener for each request from now on, until the function that it gives back is called. */
  followRequests(listener: (entry: LoggedRequest) => void): () => void {
    return this.#log.follow(listener);
  }

  /**
   * Limits the rate-limited operations from now on, for every principal anew; null: no limit. Throws a `TypeError` for
   * numbers that are no limit.
   */
  setRateLimit(limit: RateLimitSettings | null): void {
    if (limit && !(Number.isInteger(limit.requests) && limit.requests >= 0 && limit.window > 0)) {
      throw new TypeError("A rate limit is a whole number of requests in a window of more than 0 ms");
    }
    this.#rateLimiter.limit = limit;
    this.#rateLimiter.reset();
  }

  /** A copy of the whole state, as plain JSON. */
  snapshot(): Snapshot {
    return structuredClone(snapshotOf(this.#world));
  }

  /**
   * Brings the state of a snapshot back, of this server or another, at once; resolves when the real databases of records that
   * are gone with it are gone too. Throws an `Error` for what is no snapshot.
   */
  load(snapshot: Snapshot): Promise<void> {
    return this.#enter(structuredClone(readSnapshot(snapshot)));
  }

  /**
   * As new, at once: the first state, the first clock, no faults, an empty request log, the rate limit of the settings.
   * Resolves when the real databases of records that are gone with it are gone too.
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

  /** Resolves when no work is being done in the background. */
  idle(): Promise<void> {
    return this.#world.scheduler.idle();
  }

  /** Begins background work again after `stop`. */
  start(): void {
    this.#world.scheduler.reopen();
  }

  /** Begins no work any more; resolves when that which has begun is done. */
  async stop(): Promise<void> {
    this.#world.scheduler.close();
    await this.idle();
  }

  /** What is under way in the old world ends there. */
  async #enter(snapshot: Snapshot): Promise<void> {
    const { store: left, scheduler, databaseEngine } = this.#world;
    scheduler.close();
    this.#world = worldOf(snapshot, this.#parts);
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

const startOf = ({ seed, startAt, frozen = seed !== undefined }: EngineOptions): ClockState => {
  const start = startAt === undefined ? (seed === undefined ? Date.now() : seededStart) : readTime(startAt);
  return frozen
    ? { frozenAt: start }
    : { offset: startAt === undefined && seed === undefined ? 0 : start - Date.now() };
};
