import { ApprovalsControl } from "../control/approvals-control.js";
import { runWriteTransaction } from "../control/run-transaction.js";
import { ClockControl } from "../control/clock-control.js";
import { DataPlaneControl } from "../control/data-plane-control.js";
import { Faults } from "../control/faults.js";
import { OAuthControl } from "../control/oauth-control.js";
import { Seeder } from "../control/seeder.js";
import { StateControl } from "../control/state-control.js";
import { Tenant, type TenantDefaults } from "../control/tenant.js";
import { TokenMint } from "../control/token-mint.js";
import type { OperationId } from "../generated/operations.js";
import { type BodyPolicy, Engine } from "../request/engine.js";
import { resolveRateLimit } from "../request/rate-limit.js";
import { type LoggedRequest, RequestLog } from "../request/request-log.js";
import type { TableStates } from "../store/records.js";
import { operationHandlers } from "../rules/handlers.js";
import type { Awaitable, CallMode, ModeResult } from "../values/awaitable.js";
import type { EngineRequest, EngineResponse } from "../values/message.js";
import { randomBase64Url } from "../values/random-bytes.js";
import type { RateLimitSettings, Settings } from "../values/settings.js";
import type { ServerRowStore } from "../context/server-rows.js";
import type { RequestContext } from "../context/request-context.js";
import type { EngineOptions } from "./engine-options.js";
import { carryOverEnsuredClients } from "./ensured-clients.js";
import { type ControlBackend, createClockSource, createServerRowStore } from "./control-backend.js";
import { type Snapshot, parseSnapshot } from "./snapshot.js";
import { listTableRows, readTablesOutsideSnapshot, buildSnapshot, buildTables } from "./snapshot-tables.js";

/** Holds the state of a server, and runs its jobs. */
export interface ServerBackend<Mode extends CallMode> extends ControlBackend<Mode> {
  readonly settings: Settings;
  /**
   * Returns the context for one request. If other servers may change the state, its first transaction throws a
   * `StateChangedError` when they have.
   */
  getContextForRequest(): RequestContext;
  /** Returns the context for jobs and the control surface, whose transactions run in any state of the server. */
  getContextForControl(): RequestContext<Mode>;
  /** Returns the workspace of a tenant, its owner and its service token. */
  readTenantDefaults(workspaceId: string): Awaitable<TenantDefaults>;
  /** Returns the result of a function for the rows of all tables. */
  readAllTables<T>(readTables: (states: TableStates) => T): ModeResult<Mode, T>;
  /**
   * Replaces the rows of all tables. Resolves when the real databases match them.
   *
   * @param createTables returns the new rows. When it throws, nothing changes.
   * @param onReplaced called once the rows are replaced.
   */
  replaceAllTables(
    createTables: (states: TableStates) => TableStates,
    onReplaced?: () => void,
  ): Promise<void>;
  /** Stores the state, even when no row has changed. */
  save(): Promise<void>;
  /** Resolves when this process runs no jobs. */
  waitUntilIdle(): Promise<void>;
  /** Starts jobs as they fall due, until `stop`. */
  start(): void;
  /** Resolves when the running jobs are done. Starts no others, except those that a moved clock makes due. */
  stop(): Promise<void>;
}

/** The parts of a server that do not depend on where its state is. */
export interface CommonServerOptions extends Pick<
  EngineOptions,
  "dataPlane" | "logCapacity" | "onDefect" | "validateResponses"
> {
  readonly requestIdPrefix: string;
}

/** The reference server without a network: takes requests and returns responses as plain data. */
export abstract class Server<Mode extends CallMode = CallMode> {
  readonly settings: Settings;
  readonly clock: ClockControl<Mode>;
  readonly approvals: ApprovalsControl<Mode>;
  readonly faults: Faults<Mode>;
  /**
   * Every method throws a `ControlError` when the databases are not real.
   *
   * @internal
   */
  readonly dataPlane: DataPlaneControl<Mode>;
  readonly oauth: OAuthControl<Mode>;
  readonly states: StateControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  readonly #backend: ServerBackend<Mode>;
  readonly #serverRowStore: ServerRowStore<Mode>;
  readonly #engine: Engine;
  readonly #log: RequestLog;
  readonly #onDefect: (error: unknown) => void;

  /** @internal */
  protected constructor(backend: ServerBackend<Mode>, options: CommonServerOptions) {
    const { dataPlane, logCapacity = 1_000, onDefect = console.error, validateResponses = false } = options;
    const getRequestContext = (): RequestContext<Mode> => backend.getContextForControl();
    this.#backend = backend;
    this.#onDefect = onDefect;
    this.settings = backend.settings;
    this.#serverRowStore = createServerRowStore(backend);
    this.clock = new ClockControl(createClockSource(backend));
    this.faults = new Faults(this.#serverRowStore);
    this.#log = new RequestLog(logCapacity);
    this.#engine = new Engine({
      getRequestContext: () => backend.getContextForRequest(),
      handlers: operationHandlers,
      faults: this.faults,
      log: this.#log,
      validateResponses,
      onDefect,
      requestIdPrefix: options.requestIdPrefix,
    });
    this.approvals = new ApprovalsControl(getRequestContext);
    this.states = new StateControl(getRequestContext);
    this.dataPlane = new DataPlaneControl(getRequestContext, dataPlane);
    this.oauth = new OAuthControl(getRequestContext);
    this.seed = new Seeder(getRequestContext, this.#engine, this.states);
    this.tokens = new TokenMint(getRequestContext);
  }

  /**
   * Creates a workspace with an owner and a service token of its own. Tests that run at the same time can share this server, each with
   * its own tenant: no credential of one reaches the resources of another. The clock, faults, and rate limit are shared.
   *
   * @param name the name of the user and the workspace. Default: a generated name.
   */
  async createTenant(name?: string): Promise<Tenant> {
    const getRequestContext = (): RequestContext => this.#backend.getContextForControl();
    const tenantName =
      name ?? (await runWriteTransaction(getRequestContext(), ({ ids }) => ids.generateName()));
    const user = await this.seed.user({ name: tenantName });
    const { id } = await this.seed.workspace({ name: tenantName, ownerId: user.id });
    await this.seed.serviceToken({ name: "default" }, { workspaceId: id });
    return new Tenant({
      defaults: await this.#backend.readTenantDefaults(id),
      tokens: new TokenMint(getRequestContext, id),
      seed: new Seeder(getRequestContext, this.#engine, this.states, id),
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

  /** The latest requests of this process, oldest first. */
  get requests(): LoggedRequest[] {
    return this.#log.list();
  }

  /**
   * Calls the listener for each further request. The first error that it throws is printed. Returns a function that removes the listener.
   */
  followRequests(listener: (entry: LoggedRequest) => void): () => void {
    return this.#log.follow(listener);
  }

  /**
   * Limits the requests of each principal, and restarts their counts. Without `operations`, the limit applies to the operations that the
   * contract marks as rate-limited: the operations of apps, services, and deployments.
   *
   * @param limit null for no limit.
   * @returns the operations that the limit applies to; empty for no limit.
   * @throws TypeError when a number is not valid or an operation does not exist.
   */
  setRateLimit(limit: RateLimitSettings | null): ModeResult<Mode, OperationId[]> {
    const rateEpoch = randomBase64Url(16);
    return this.#serverRowStore.change("rate limit", ({ changeControlSettings }) => {
      // Checked inside of `change`, so that a server that returns promises rejects instead of throwing.
      const limitedOperations = limit ? [...resolveRateLimit(limit).limitedOperations] : [];
      changeControlSettings({ rateLimit: limit, rateEpoch });
      return limitedOperations;
    });
  }

  /** Returns a copy of the whole state as plain JSON. */
  snapshot(): ModeResult<Mode, Snapshot> {
    return this.#backend.readAllTables(buildSnapshot);
  }

  /**
   * Replaces the state with a snapshot of this or another server; synchronous if the state is in memory. Resolves when the real databases
   * of removed records are deleted, and the databases of restored records exist, without their data. Backups whose data no longer exists
   * are then `failed`.
   *
   * @throws TypeError when the value is not a snapshot.
   */
  load(snapshot: Snapshot): Promise<void> {
    return this.#backend.replaceAllTables((states) => {
      const newSnapshot = structuredClone(parseSnapshot(snapshot));
      return buildTables(
        carryOverEnsuredClients(newSnapshot, listTableRows(states, "clients")),
        readTablesOutsideSnapshot(states),
      );
    });
  }

  /**
   * Restores the initial state and clock, removes all faults and restores the rate limit of the settings; synchronous if the state is in
   * memory. Of this process, also clears the request log and the faults of connections to databases. Resolves when the real databases match
   * the records, as for `load`.
   */
  reset(): Promise<void> {
    return this.#backend.replaceAllTables(
      (states) => {
        const { initialSnapshot, draws } = readTablesOutsideSnapshot(states);
        return buildTables(carryOverEnsuredClients(initialSnapshot, listTableRows(states, "clients")), {
          initialSnapshot,
          draws,
        });
      },
      () => {
        this.dataPlane.reset();
        this.#log.clear();
      },
    );
  }

  /**
   * Stores the state, even when no row has changed.
   *
   * @internal
   */
  save(): Promise<void> {
    return this.#backend.save();
  }

  /**
   * Reports an error that only a defect explains.
   *
   * @internal
   */
  reportDefect(error: unknown): void {
    this.#onDefect(error);
  }

  /** Resolves when this process runs no background work. */
  idle(): Promise<void> {
    return this.#backend.waitUntilIdle();
  }

  /** Starts background work. */
  start(): void {
    this.#backend.start();
  }

  /** Stops starting background work; moving the clock still starts jobs that fall due. Resolves when the running work is done. */
  stop(): Promise<void> {
    return this.#backend.stop();
  }
}
