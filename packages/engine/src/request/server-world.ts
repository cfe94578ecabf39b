import type { Clock } from "../time/clock.js";
import type { Job } from "../time/scheduler.js";
import type { Authenticator } from "./authenticate.js";
import type { Services } from "./behavior.js";
import type { FindEndpoint } from "./endpoint.js";
import type { OperationId } from "../generated/operations.js";
import type { Want } from "../store/want.js";
import type { Principal } from "./principal.js";
import type { Settings } from "./settings.js";
import type { Transactions } from "./transactions.js";

/** What the engine needs to serve requests. */
export interface ServerWorld extends Transactions {
  readonly settings: Settings;
  /** Tells the time outside of transactions. */
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  readonly findEndpoint: FindEndpoint;
  readonly services: Services;
  /**
   * Runs a scheduled job now. Never rejects.
   *
   * @returns the error of the job; undefined when it succeeds.
   */
  attempt(job: Job): Promise<unknown>;
  /** Differs from that of another world when the whole state was replaced in between. */
  readonly epoch: unknown;
  /** Returns what the step of a request loads to count it for the rate limit. Only stores that load rows need it. */
  countWants(operation: OperationId, principal: Principal): readonly Want[];
  /** Returns a promise that resolves when all changes are stored durably; undefined when they are already. */
  saved(): Promise<void> | undefined;
}
