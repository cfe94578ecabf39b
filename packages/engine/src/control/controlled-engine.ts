import type { OperationId } from "../generated/operations.js";
import type { Fault, InstalledFault } from "../request/faults.js";
import type { LoggedRequest } from "../request/request-log.js";
import type { RateLimitSettings } from "../request/settings.js";
import type { ApprovalsControl } from "./approvals-control.js";
import type { ConnectionFault, InstalledConnectionFault } from "./connection-faults.js";
import type { Time } from "./clock-control.js";
import type { OAuthControl } from "./oauth-control.js";
import type { Seeder } from "./seeder.js";
import type { StateControl } from "./state-control.js";
import type { Tenant } from "./tenant.js";
import type { TokenMint } from "./token-mint.js";

/** A value, at once or when it has been loaded. */
export type Awaitable<T> = T | Promise<T>;

/** The part of a server that the routes of the control surface use. */
export interface ControlledEngine {
  readonly clock: {
    now(): Awaitable<number>;
    readonly frozen: Awaitable<boolean>;
    freeze(): Awaitable<void>;
    run(): Awaitable<void>;
    advance(milliseconds: number): Promise<void>;
    set(time: Time): Promise<void>;
  };
  readonly approvals: Pick<ApprovalsControl, keyof ApprovalsControl>;
  readonly faults: {
    /** @throws TypeError when a field is not valid. */
    add(fault: Fault): Awaitable<InstalledFault>;
    list(): Awaitable<InstalledFault[]>;
    /** Removes a fault. Returns false when it is not installed. */
    remove(id: string): Awaitable<boolean>;
    clear(): Awaitable<void>;
  };
  readonly oauth: Pick<OAuthControl, keyof OAuthControl>;
  readonly states: StateControl;
  /** Every method throws a `ControlError` when the databases are not real. */
  readonly dataPlane: {
    listFaults(): InstalledConnectionFault[];
    addFault(fault: ConnectionFault): Awaitable<InstalledConnectionFault>;
    removeFault(id: string): void;
    removeAllFaults(): void;
    setConnectionLimit(connections: number | null): void;
  };
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  createTenant(name?: string): Promise<Tenant>;
  /** The latest requests, oldest first. */
  readonly requests: LoggedRequest[];
  /** Calls the listener for each further request. Returns a function that removes the listener. */
  followRequests(listener: (entry: LoggedRequest) => void): () => void;
  /** Returns the limited operations. Throws a TypeError for an invalid limit. */
  setRateLimit(limit: RateLimitSettings | null): Awaitable<OperationId[]>;
  snapshot(): Awaitable<object>;
  /** @throws Error when the value is not a snapshot. */
  load(snapshot: unknown): Promise<void>;
  reset(): Promise<void>;
  /** Stores the state, even when no row has changed. */
  save(): Promise<void>;
}
