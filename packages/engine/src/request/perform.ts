import type { ApprovalUse } from "./approve.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyBehavior, Call, Success } from "./behavior.js";
import { callOf } from "./call.js";
import type { Prepared } from "./prepare.js";
import type { ServerWorld } from "./server-world.js";

/** Returns the approval that the request uses; undefined when it needs none. Throws a `RequestError` to refuse. */
export type ApproveStep = (call: Call, request: AuthorizedRequest) => ApprovalUse | undefined;

/** Runs the behavior of an operation: check, approve, act. An approval is used only if `act` succeeds. */
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
  try {
    const success = behavior.act(call, checked);
    if (!(success instanceof Promise) || !approval) return success;
    return success.catch((error: unknown) => {
      approval.release();
      throw error;
    });
  } catch (error) {
    approval?.release();
    throw error;
  }
};
