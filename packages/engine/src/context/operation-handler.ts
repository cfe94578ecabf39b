import type { OperationId, PathParameters, QueryParameters, RequestBody } from "../generated/operations.js";
import type { TokenSigner } from "./access-token.js";
import type { DatabaseEngine } from "./database-engine.js";
import type { Job } from "./scheduler.js";
import type { Principal } from "../values/principal.js";
import type { Preload } from "../store/preload.js";
import type { OperationContext } from "./operation-context.js";

/** A request of which only the token and the path are known. */
export interface RoutedRequest {
  readonly principal: Principal;
  /** The path parameters; ids are canonical. */
  readonly path: Readonly<Record<string, string>>;
  /** The query without its `?`. */
  readonly search: string;
}

/** A request that has passed routing, authentication, limits, validation and authorization. */
export interface OperationCall<Id extends OperationId = OperationId> {
  readonly operationId: Id;
  readonly context: OperationContext;
  readonly principal: Principal;
  /** Path parameters. Ids are canonical here and in `query` and `body`, so they can be looked up directly. */
  readonly path: PathParameters<Id>;
  readonly query: QueryParameters<Id>;
  /** Validated, with defaults applied; `{}` when an optional body is absent. */
  readonly body: RequestBody<Id>;
  /** Who the access tokens in the body were issued to, by field; undefined for a token that is not active. */
  readonly bearers: Readonly<Record<string, Principal | undefined>>;
  /** Status for a resource in another workspace: 403 when the operation lists it, otherwise 404. */
  readonly foreignStatus: 403 | 404;
}

/** The response of an operation that succeeds. */
export interface SuccessResponse {
  readonly status: number;
  /** Default: no body. */
  readonly body?: unknown;
  /** The JSON of the body, instead of `body`. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A job that has to succeed before the response is sent. */
  readonly after?: Job;
}

/** Services that are asynchronous. The checks and effects of operations are synchronous and cannot use them. */
export interface Services {
  readonly databases: DatabaseEngine;
  readonly signer: TokenSigner;
}

/** A step before `check` that waits for a service. */
export interface Preparation<Id extends OperationId, Plan, Prepared> {
  /**
   * Reads the store to decide what to do. Rejects by throwing a `RequestError`; in particular, rejects resources that the principal cannot
   * reach, so that no work is done for it.
   */
  plan(call: OperationCall<Id>): Plan;
  work(services: Services, plan: Plan): Promise<Prepared>;
}

/**
 * Implements one operation. `check` reads, and rejects by throwing a `RequestError`; `execute` changes the store and returns the
 * response. Between the two, an agent's request may have to wait for an approval.
 */
export interface OperationHandler<Id extends OperationId, Prepared, Checked> {
  /**
   * Returns the rows that the request probably reads, besides those that its token and its path name. Only stores that load rows call it,
   * to load them together.
   */
  readonly preloads?: ((request: RoutedRequest) => readonly Preload[]) | undefined;
  readonly prepare?: Preparation<Id, unknown, Prepared>;
  /** @param prepared the result of `prepare`; undefined without one. */
  check(call: OperationCall<Id>, prepared: Prepared): Checked;
  execute(call: OperationCall<Id>, checked: Checked): SuccessResponse;
}

/** The handler of every operation in the contract. */
export type OperationHandlers = { readonly [Id in OperationId]: OperationHandler<Id, unknown, unknown> };

/** A handler whose operation is known only at run time. */
export type AnyOperationHandler = OperationHandler<OperationId, unknown, unknown>;

/** Gives a handler the types of its operation: `defineHandler("projects.delete", { check, execute })`. */
export const defineHandler = <Id extends OperationId, Checked>(
  _operationId: Id,
  steps: {
    preloads?: OperationHandler<Id, unknown, Checked>["preloads"];
    check: (call: OperationCall<Id>) => Checked;
    execute: (call: OperationCall<Id>, checked: Checked) => SuccessResponse;
  },
): OperationHandler<Id, unknown, Checked> => steps;

/** Like `defineHandler`, for an operation with a preparation. */
export const definePreparedHandler = <Id extends OperationId, Plan, Prepared, Checked>(
  _operationId: Id,
  steps: {
    prepare: {
      plan: (call: OperationCall<Id>) => Plan;
      work: (services: Services, plan: Plan) => Promise<Prepared>;
    };
    check: (call: OperationCall<Id>, prepared: Prepared) => Checked;
    execute: (call: OperationCall<Id>, checked: Checked) => SuccessResponse;
  },
): OperationHandler<Id, Prepared, Checked> => steps;
