import type { Access } from "../store/backing.js";
import { SupersededError } from "../time/job-handler.js";
import type { ApprovalUse } from "./approve.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyBehavior, Call, Success } from "./behavior.js";
import { callOf } from "./call.js";
import type { Prepared } from "./prepare.js";
import type { ServerWorld } from "./server-world.js";
import { whenThere } from "./transactions.js";
import type { World } from "./world.js";

/**
 * Returns the approval that the request uses; undefined when it needs none.
 *
 * @throws RequestError when the request is refused.
 */
export type ApproveStep = (call: Call, request: AuthorizedRequest) => ApprovalUse | undefined;

/** A request that is ready for its behavior. */
export interface ReadyRequest {
  readonly behavior: AnyBehavior;
  readonly request: AuthorizedRequest;
  readonly prepared: Prepared;
  readonly approve: ApproveStep;
}

/** What a behavior has done. */
export interface Performed {
  readonly success: Success;
  readonly approval: ApprovalUse | undefined;
}

/** Runs the behavior of an operation in a transaction: check, approve, act. */
export const performIn = (
  { authenticator }: ServerWorld,
  world: World,
  { behavior, request, prepared, approve }: ReadyRequest,
): Performed => {
  const call = callOf(authenticator, world, request, prepared.tokens);
  const checked = behavior.check(call, prepared.result);
  const approval = approve(call, request);
  approval?.consume(world);
  try {
    return { success: behavior.act(call, checked), approval };
  } catch (error) {
    approval?.release(world);
    throw error;
  }
};

/**
 * Waits for the job that the behavior scheduled, if any. An approval is used up only if the job succeeds, too. A job that
 * another request has superseded runs the behavior again.
 */
export const finish = (
  server: ServerWorld,
  ready: ReadyRequest,
  { success, approval }: Performed,
): Success | Promise<Success> => {
  if (success.after === undefined) return success;
  return server.attempt(success.after).then(async (error) => {
    if (error === undefined) return success;
    if (approval) await server.transact(accessOf(ready), (world) => approval.release(world));
    if (error instanceof SupersededError) return perform(server, ready);
    throw error instanceof Error ? error : new Error("The job failed", { cause: error });
  });
};

/** Runs the behavior of an operation, and waits for the job that it schedules, if any. */
export const perform = (server: ServerWorld, ready: ReadyRequest): Success | Promise<Success> =>
  whenThere(
    server.transact(accessOf(ready), (world) => performIn(server, world, ready)),
    (performed) => finish(server, ready, performed),
  );

/** A request changes the workspace of its credential, and those of the access tokens in its body. */
const accessOf = ({ request: { operation, principal }, prepared }: ReadyRequest): Access => {
  const others = Object.values(prepared.tokens).flatMap((token) => token?.principal.workspaceId ?? []);
  return { mode: modeOf(operation.method), locks: [principal.workspaceId, ...others] };
};

export const modeOf = (method: string): Access["mode"] => (method === "GET" ? "read" : "write");
