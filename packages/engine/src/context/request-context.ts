import type { Clock } from "../values/clock.js";
import type { Job } from "./scheduler.js";
import type { Authenticator } from "./authenticator.js";
import type { CallMode } from "../values/awaitable.js";
import type { Services } from "./operation-handler.js";
import type { DatabaseEngine } from "./database-engine.js";
import type { DatabaseWork } from "./database-work.js";
import type { FindEndpoint } from "./endpoint.js";
import type { OperationId } from "../generated/operations.js";
import type { Preload } from "../store/preload.js";
import type { Principal } from "../values/principal.js";
import type { Settings } from "../values/settings.js";
import type { Transactions } from "./transactions.js";

/** The context that a server gives to the steps of a request, to its jobs and to its control surface. */
export interface RequestContext<Mode extends CallMode = CallMode> extends Transactions<Mode> {
  readonly settings: Settings;
  /** The clock outside of transactions. */
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  readonly findEndpoint: FindEndpoint;
  readonly services: Services;
  readonly databaseEngine: DatabaseEngine;
  readonly databaseWork: DatabaseWork;
  /**
   * Runs a scheduled job now. Never rejects.
   *
   * @returns the error of the job; undefined when it succeeds.
   */
  runJob(job: Job): Promise<unknown>;
  /** Runs the subject's jobs now, in the order in which they were scheduled, and those that they schedule to start soon. */
  finishJobs(subject: string): Promise<void>;
  /** Differs between two contexts when the whole state was replaced in between. */
  readonly stateEpoch: unknown;
  /** Returns the rows that the step of a request loads to count it for the rate limit. Only stores that load rows need it. */
  listCountPreloads(operation: OperationId, principal: Principal): readonly Preload[];
  /** Returns a promise that resolves when all changes are stored durably; undefined when they are already. */
  waitUntilSaved(): Promise<void> | undefined;
}
