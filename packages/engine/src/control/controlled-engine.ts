import type { OperationId } from "../generated/operations.js";
import type { Faults } from "../request/faults.js";
import type { LoggedRequest } from "../request/request-log.js";
import type { RateLimitSettings } from "../request/settings.js";
import type { ApprovalsControl } from "./approvals-control.js";
import type { ClockControl } from "./clock-control.js";
import type { DataPlaneControl } from "./data-plane-control.js";
import type { OAuthControl } from "./oauth-control.js";
import type { Seeder } from "./seeder.js";
import type { StateControl } from "./state-control.js";
import type { Tenant } from "./tenant.js";
import type { TokenMint } from "./token-mint.js";

/** The part of a server that the routes of the control surface use. */
export interface ControlledEngine {
  readonly clock: ClockControl;
  readonly approvals: ApprovalsControl;
  readonly faults: Faults;
  readonly oauth: OAuthControl;
  readonly states: StateControl;
  readonly dataPlane: DataPlaneControl;
  readonly seed: Seeder;
  readonly tokens: TokenMint;
  createTenant(name?: string): Promise<Tenant>;
  /** The latest requests, oldest first. */
  readonly requests: LoggedRequest[];
  /** Calls the listener for each further request. Returns a function that removes the listener. */
  followRequests(listener: (entry: LoggedRequest) => void): () => void;
  /** Returns the limited operations. Throws a TypeError for an invalid limit. */
  setRateLimit(limit: RateLimitSettings | null): OperationId[];
  snapshot(): object;
  /** @throws Error when the value is not a snapshot. */
  load(snapshot: unknown): Promise<void>;
  reset(): Promise<void>;
  /** Stores the state, even when no row has changed. */
  save(): Promise<void>;
}
