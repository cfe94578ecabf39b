import type { Store } from "../store/store.js";
import type { Clock } from "../time/clock.js";
import type { Scheduler } from "../time/scheduler.js";
import type { Cursors } from "./cursors.js";
import type { DatabaseEngine } from "./database-engine.js";
import type { Ids } from "./ids.js";
import type { OperationId } from "../generated/operations.js";
import type { Principal } from "./principal.js";
import type { Settings } from "./settings.js";

/**
 * The state and services that a behavior uses. It is passed to each call, so that calls can run on different stores.
 */
export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly databaseEngine: Pick<DatabaseEngine, "endpoints">;
  readonly scheduler: Scheduler;
  readonly cursors: Cursors;
  /**
   * Counts a request if its operation is limited, and returns the `RateLimit-*` headers of its response.
   *
   * @throws RequestError 429 `rate_limit:exceeded`.
   */
  countRequest(operation: OperationId, principal: Principal): Record<string, string> | undefined;
  /** Returns `{base_url}/v1/<collection>/<id>`. */
  url(collection: string, id: string): string;
  /** Returns the address that the artifact of a deployment is uploaded to. The key is its only credential. */
  uploadUrl(deploymentId: string, key: string): string;
}
