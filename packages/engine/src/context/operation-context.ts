import type { Store } from "../store/store.js";
import type { Clock } from "../values/clock.js";
import type { Scheduler } from "./scheduler.js";
import type { CursorCodec } from "../values/cursors.js";
import type { DatabaseEngine } from "./database-engine.js";
import type { IdGenerator } from "../values/ids.js";
import type { OperationId } from "../generated/operations.js";
import type { Principal } from "../values/principal.js";
import type { SerializationContext, RowJsonCache } from "./row-json-cache.js";
import type { Settings } from "../values/settings.js";

/**
 * The state and services that a handler uses. It is passed to each call, so that calls can run on different stores.
 */
export interface OperationContext extends SerializationContext {
  readonly store: Store;
  readonly databaseEngine: Pick<DatabaseEngine, "getEndpoints" | "announce">;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly settings: Settings;
  readonly scheduler: Scheduler;
  readonly cursorCodec: CursorCodec;
  /**
   * Counts a request if its operation is limited, and returns the `RateLimit-*` headers of its response.
   *
   * @throws RequestError 429 `rate_limit:exceeded`.
   */
  countRequest(operation: OperationId, principal: Principal): Record<string, string> | undefined;
  /** The JSON of rows that are in memory; undefined if rows are loaded for each request. */
  readonly rowJsonCache?: RowJsonCache;
  /** Returns the address that the artifact of a deployment is uploaded to. The key is its only credential. */
  buildUploadUrl(deploymentId: string, key: string): string;
}
