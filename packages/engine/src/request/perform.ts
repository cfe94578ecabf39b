import { SupersededError } from "../time/job-handler.js";
import type { ApprovalUse } from "./approve.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyBehavior, Call, Success } from "./behavior.js";
import { callOf } from "./call.js";
import type { Prepared } from "./prepare.js";
import type { ServerWorld } from "./server-world.js";

/**
 * Returns the approval that the request uses; undefined when it needs none.
 *
 * @throws RequestError when the request is refused.
 */
export type ApproveStep = (call: Call, request: AuthorizedRequest) => ApprovalUse | undefined;

/**
 * Runs the behavior of an operation: check, approve, act. Then waits for the job that `act` scheduled, if any. An
 * approval is used up only if all of them succeed.
 */
export const perform = (
  world: ServerWorld,
  behavior: AnyBehavior,
  request: AuthorizedRequest,
  prepared: Prepared,
  approve: ApproveStep,
): Success | Promise<Success> => {
  const call = callOf(world, request, prepared.tokens);
  const checked = behavior.check(call, prepared.result);
  const approval = approve(call, request);
  approval?.consume();
  let success: Success;
  try {
    success = behavior.act(call, checked);
  } catch (error) {
    approval?.release();
    throw error;
  }
  if (success.after === undefined) return success;
  return world.attempt(success.after).then((error) => {
    if (error === undefined) return success;
    approval?.release();
    if (error instanceof SupersededError) return perform(world, behavior, request, prepared, approve);
    throw error instanceof Error ? error : new Error("The job failed", { cause: error });
  });
};
