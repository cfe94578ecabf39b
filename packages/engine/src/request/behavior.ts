import type { Tokens } from "../oauth/tokens.js";
import type { OperationId, PathParameters, QueryParameters, RequestBody } from "../generated/operations.js";
import type { Store } from "../store/store.js";
import type { Clock } from "../time/clock.js";
import type { Cursors } from "./cursors.js";
import type { DatabaseEngine } from "./database-engine.js";
import type { Ids } from "./ids.js";
import type { Principal } from "./principal.js";
import type { Scheduler } from "../time/scheduler.js";
import type { Settings } from "./settings.js";

/** What behaviors work with; one for the whole server. */
export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly databaseEngine: DatabaseEngine;
  /** Work for later on the server's clock: `provisioning` becomes `ready`, and the like. */
  readonly scheduler: Scheduler;
  readonly tokens: Tokens;
  readonly cursors: Cursors;
  /** `{base_url}/v1/<collection>/<id>`. */
  url(collection: string, id: string): string;
  /** Where the artifact of a deployment is sent, once: outside `/v1`, with the key as its only credential. */
  uploadUrl(deploymentId: string, key: string): string;
}

/** One request that has passed routing, authentication, limits, validation and scope. */
export interface Call<Id extends OperationId = OperationId> {
  readonly operationId: Id;
  readonly world: World;
  readonly principal: Principal;
  /** Ids in the form in which the store keeps them, here and in `query` and `body`: look them up as they are. */
  readonly path: PathParameters<Id>;
  readonly query: QueryParameters<Id>;
  /** Validated, defaults applied; `{}` when an optional body is absent. */
  readonly body: RequestBody<Id>;
  /** What a resource of another workspace answers here: 403 where the operation lists it, else the 404. */
  readonly foreignStatus: 403 | 404;
}

export interface Answer {
  status: number;
  /** Absent: an empty body. */
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * What one operation does. `check` reads and refuses (by throwing an `RequestError`), and changes nothing; `act` changes the
 * store in one synchronous step and answers. An agent's approval stands between the two. Where `act` must wait (a
 * signature, a real database), it waits before it changes the store, or undoes what it changed when the wait fails.
 */
export interface Behavior<Id extends OperationId, Checked> {
  check(call: Call<Id>): Checked;
  act(call: Call<Id>, checked: Checked): Answer | Promise<Answer>;
}

/** A behavior for every operation of the contract, or the compiler says which one is missing. */
export type Behaviors = { readonly [Id in OperationId]: Behavior<Id, unknown> };

/**
 * Types the behavior of the operation named: `behavior("projects.delete", { check, act })`. `act` gets what `check`
 * returned.
 */
export const behavior = <Id extends OperationId, Checked>(
  _operationId: Id,
  parts: {
    check: (call: Call<Id>) => Checked;
    act: (call: Call<Id>, checked: Checked) => Answer | Promise<Answer>;
  },
): Behavior<Id, Checked> => parts;
