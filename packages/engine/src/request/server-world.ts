import type { Job } from "../time/scheduler.js";
import type { Authenticator } from "./authenticate.js";
import type { FindEndpoint } from "./endpoint.js";
import type { Services } from "./behavior.js";
import type { World } from "./world.js";

/** A world with what the engine needs to serve requests in it. */
export interface ServerWorld extends World {
  readonly authenticator: Authenticator;
  readonly findEndpoint: FindEndpoint;
  readonly services: Services;
  /**
   * Runs a scheduled job now. Never rejects.
   *
   * @returns the error of the job; undefined when it succeeds.
   */
  attempt(job: Job): Promise<unknown>;
  /** Returns a promise that resolves when all changes are stored durably; undefined when they are already. */
  saved(): Promise<void> | undefined;
}
