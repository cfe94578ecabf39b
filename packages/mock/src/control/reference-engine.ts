import { AccessTokens } from "../auth/access-tokens.js";
import { SigningKeys, newCursorKey, newSigningKey } from "../auth/signing-keys.js";
import { behaviours, jobs } from "../behaviours/index.js";
import { ChangeHook } from "../engine/change-hook.js";
import { type ClockState, VirtualClock } from "../engine/clock.js";
import { environmentRecorder } from "../engine/coverage.js";
import { SealedCursors } from "../engine/cursors.js";
import type { DatabaseEngine } from "../engine/database-engine.js";
import { Engine } from "../engine/engine.js";
import type { EngineRequest, EngineResponse } from "../engine/exchange.js";
import { Faults } from "../engine/faults.js";
import { RandomIds, seedRandom } from "../engine/ids.js";
import { JobQueue } from "../engine/job-queue.js";
import { memoryDatabaseEngine } from "../engine/memory-database-engine.js";
import { type PartialSettings, mergeSettings } from "../engine/merge-settings.js";
import { RateLimiter } from "../engine/rate-limiter.js";
import { type LoggedRequest, RequestLog } from "../engine/request-log.js";
import type { Job } from "../engine/scheduler.js";
import type { RateLimitSettings, Settings } from "../engine/settings.js";
import { type Snapshot, assertSnapshot } from "../engine/snapshot.js";
import { uploadPath } from "../engine/uploads.js";
import type { ServerWorld } from "../engine/world.js";
import { MemoryStore } from "../store/memory-store.js";
import type { Store } from "../store/store.js";
import { ApprovalsControl } from "./approvals-control.js";
import { ClockControl, type Time, readTime } from "./clock-control.js";
import { Residents, populate } from "./initial-world.js";
import { Seeder } from "./seeder.js";
import { StateControl } from "./state-control.js";
import { TokenMint } from "./token-mint.js";

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
  /** What makes the databases behind the records. Default: addresses are invented, and all work succeeds at once. */
  databaseEngine?: DatabaseEngine;
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
export class ReferenceEngine {
  readonly settings: Settings;
  readonly clock: ClockControl;
  readonly approvals: ApprovalsControl;
  readonly faults: Faults;
  readonly states: StateControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  /** Who is there from the start: two users with a workspace each, a service token, an agent. */
  readonly residents: Residents;
  readonly #world: ServerWorld;
  readonly #engine: Engine;
  readonly #ids: RandomIds;
  readonly #keys: SigningKeys;
  readonly #accessTokens: AccessTokens;
  readonly #cursors: SealedCursors;
  readonly #rateLimiter: RateLimiter;
  readonly #log: RequestLog;
  readonly #changes: ChangeHook;
  readonly #onDefect: (error: unknown) => void;
  readonly #initial: Snapshot;

  constructor(options: EngineOptions = {}) {
    const { seed = null, onDefect = console.error } = options;
    this.#onDefect = onDefect;
    this.settings = mergeSettings(options.settings);
    const store = new MemoryStore();
    const clock = new VirtualClock(startOf(options));
    this.#ids = new RandomIds(seed === null ? null : seedRandom(seed));
    this.#keys = new SigningKeys([newSigningKey(seed)]);
    this.#cursors = new SealedCursors(newCursorKey(seed));
    this.#accessTokens = new AccessTokens(this.#keys, store, clock, this.#ids, this.settings);
    this.#changes = new ChangeHook(store, options.afterMutation);
    this.#rateLimiter = new RateLimiter(clock, this.settings.rateLimit);
    this.#log = new RequestLog(options.logCapacity ?? 1_000);
    const draws = new RandomIds(seed === null ? null : seedRandom(`${seed} faults`));
    this.faults = new Faults(() => draws.fraction());

    const queue = new JobQueue(clock, (job) => this.#perform(job));
    const { baseUrl } = this.settings;
    this.#world = {
      store,
      clock,
      ids: this.#ids,
      settings: this.settings,
      databaseEngine: options.databaseEngine ?? memoryDatabaseEngine("mgmt.test"),
      scheduler: queue,
      tokens: this.#accessTokens,
      cursors: this.#cursors,
      url: (collection, id) => `${baseUrl}/v1/${collection}/${id}`,
      uploadUrl: (deploymentId, key) => baseUrl + uploadPath({ deploymentId, key }),
    };
    this.#engine = new Engine({
      world: this.#world,
      tokens: this.#accessTokens,
      behaviours,
      rateLimiter: this.#rateLimiter,
      faults: this.faults,
      log: this.#log,
      changes: this.#changes,
      recorder: environmentRecorder(),
      validateAnswers: options.validateAnswers ?? false,
      onDefect,
      requestIdPrefix: `req_${seed === null ? draws.label(10) : "seeded"}_`,
    });

    const changed = (): Promise<void> | undefined => this.#changes.settle();
    this.clock = new ClockControl(clock, queue);
    this.approvals = new ApprovalsControl(this.#world, changed);
    this.states = new StateControl(this.#world, changed);
    this.residents = new Residents(store);
    this.seed = new Seeder(this.#world, this.#engine, this.states, this.residents, changed);
    this.tokens = new TokenMint(this.#world, this.#accessTokens, this.residents);

    populate(store, clock, this.#ids);
    this.#initial = this.#read();
    // In a new server no database is gone, so that there is nothing to wait for.
    if (options.snapshot) void this.load(options.snapshot);
    store.takeChanged();
  }

  /** Answers a request; at once where nothing has to be waited for. Never throws. */
  handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#engine.handle(request);
  }

  /** How many bytes of a request's body are worth reading; 0 where none is read. */
  bodyCap(method: string, path: string): number {
    return this.#engine.bodyCap(method, path);
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
    return structuredClone(this.#read());
  }

  /**
   * Brings the state of a snapshot back, of this server or another, at once; resolves when the real databases of records that
   * are gone with it are gone too. Throws an `Error` for what is no snapshot.
   */
  load(snapshot: Snapshot): Promise<void> {
    assertSnapshot(snapshot);
    return this.#write(structuredClone(snapshot));
  }

  /**
   * As new, at once: the first state, the first clock, no faults, an empty request log, the rate limit of the settings.
   * Resolves when the real databases of records that are gone with it are gone too.
   */
  reset(): Promise<void> {
    const written = this.#write(this.#initial);
    this.faults.clear();
    this.#log.clear();
    this.setRateLimit(this.settings.rateLimit);
    return written;
  }

  /** Lets `afterMutation` run for changes that no request has made. */
  async keep(): Promise<void> {
    await this.#changes.keep();
  }

  /** Resolves when no work is being done in the background. */
  idle(): Promise<void> {
    return this.#world.scheduler.idle();
  }

  /** Begins no work any more; resolves when that which has begun is done. */
  async stop(): Promise<void> {
    this.#world.scheduler.close();
    await this.idle();
  }

  /** Shares its rows with the store, which never changes one in place. */
  #read(): Snapshot {
    return {
      version: 1,
      store: this.#world.store.state,
      signingKeys: [...this.#keys.state],
      cursorKey: this.#cursors.key.toString("base64url"),
      clock: this.#world.clock.state,
      jobs: this.#world.scheduler.state,
      random: this.#ids.state,
    };
  }

  #write(snapshot: Snapshot): Promise<void> {
    const { store, databaseEngine } = this.#world;
    const before = {
      databases: store.databases.filter(() => true),
      backups: store.backups.filter(() => true),
    };
    store.load(snapshot.store);
    this.#keys.load(snapshot.signingKeys);
    this.#accessTokens.forget();
    this.#cursors.load(Buffer.from(snapshot.cursorKey, "base64url"));
    this.#world.clock.load(snapshot.clock);
    this.#ids.load(snapshot.random);
    this.#world.scheduler.load(snapshot.jobs);
    const gone = [
      ...before.backups
        .filter(({ id }) => !store.backups.get(id))
        .map(({ id }) => databaseEngine.dropBackup(id)),
      ...before.databases
        .filter(({ id }) => !store.databases.get(id))
        .map(({ id }) => databaseEngine.drop(id)),
    ];
    return Promise.all(gone).then(() => undefined);
  }

  async #perform(job: Job): Promise<void> {
    try {
      const handler = jobs[job.kind];
      if (!handler) throw new Error(`There is no handler for jobs of the kind ${job.kind}`);
      await handler(this.#world, job.subject);
      await this.#changes.settle();
    } catch (error) {
      this.#onDefect(error);
    }
  }
}

const startOf = ({ seed, startAt, frozen = seed !== undefined }: EngineOptions): ClockState => {
  const start = startAt === undefined ? (seed === undefined ? Date.now() : seededStart) : readTime(startAt);
  return frozen
    ? { frozenAt: start }
    : { offset: startAt === undefined && seed === undefined ? 0 : start - Date.now() };
};
