import type { Access } from "../store/storage-adapter.js";
import { JobTakenError, SupersededError } from "../jobs/job-handler.js";
import type { ApprovalUse } from "./approve.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyOperationHandler, OperationCall, Success } from "../context/operation-handler.js";
import { createOperationCall } from "./operation-call.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import type { Prepared } from "./prepare.js";
import { RequestError } from "../values/request-error.js";
import type { RequestContext } from "../context/request-context.js";
import { andThen } from "../values/awaitable.js";
import type { RuleContext } from "../context/rule-context.js";

/**
 * Returns the approval that the request uses; undefined when it needs none.
 *
 * @throws RequestError when the request is refused.
 */
export type ApproveStep = (call: OperationCall, request: AuthorizedRequest) => ApprovalUse | undefined;

/** A request that is ready for its handler. */
export interface ReadyRequest {
  readonly handler: AnyOperationHandler;
  readonly request: AuthorizedRequest;
  readonly prepared: Prepared;
  readonly approve: ApproveStep;
}

/** The result of a handler. */
export interface Performed {
  readonly success: Success;
  readonly approval: ApprovalUse | undefined;
}

/** Runs the handler of an operation in a transaction: check, approve, act. */
export const performIn = (
  { authenticator }: RequestContext,
  context: RuleContext,
  { handler, request, prepared, approve }: ReadyRequest,
): Performed => {
  const call = createOperationCall(authenticator, context, request, prepared.tokens);
  const checked = handler.check(call, prepared.result);
  const approval = approve(call, request);
  approval?.consume(context);
  try {
    return { success: handler.act(call, checked), approval };
  } catch (error) {
    approval?.release(context);
    throw error;
  }
};

/**
 * Makes the approval of a request that failed usable again. It stays used if the change may take effect, except for a deletion,
 * which nobody can repeat with another effect.
 *
 * @throws OutcomeUnknownError when the approval stays used because it cannot be stored.
 */
const releaseApproval = async (
  server: RequestContext,
  ready: ReadyRequest,
  approval: ApprovalUse,
  error: unknown,
): Promise<void> => {
  const isUnknown = error instanceof OutcomeUnknownError;
  if (isUnknown && ready.request.operation.method !== "DELETE") return;
  try {
    await server.transact(accessOf(ready), (context) => approval.release(context));
  } catch (failure) {
    if (!(failure instanceof DatabaseUnavailableError)) throw failure;
    if (!isUnknown) throw new OutcomeUnknownError("The approval may stay used", { cause: failure });
  }
};

/**
 * Runs a handler again whose job was superseded. A deletion that finds nothing has succeeded if another process took its job: that can
 * happen when the response of the commit that stored the job was lost.
 */
const performAgain = async (
  server: RequestContext,
  ready: ReadyRequest,
  superseded: SupersededError,
  success: Success,
): Promise<Success> => {
  try {
    return await perform(server, ready);
  } catch (error) {
    const isDeleted =
      superseded instanceof JobTakenError &&
      ready.request.operation.method === "DELETE" &&
      error instanceof RequestError &&
      error.status === 404;
    if (isDeleted) return success;
    throw error;
  }
};

/**
 * Waits for the job that the handler scheduled, if any. An approval is used up only if the job succeeds, too, or may have. A
 * job that another request has superseded runs the handler again.
 */
export const finish = (
  server: RequestContext,
  ready: ReadyRequest,
  { success, approval }: Performed,
): Success | Promise<Success> => {
  if (success.after === undefined) return success;
  return server.runJob(success.after).then(async (error) => {
    if (error === undefined) return success;
    if (approval) await releaseApproval(server, ready, approval, error);
    if (error instanceof SupersededError) return performAgain(server, ready, error, success);
    throw error instanceof Error ? error : new Error("The job failed", { cause: error });
  });
};

/** Runs the handler of an operation, and waits for the job that it schedules, if any. */
export const perform = (server: RequestContext, ready: ReadyRequest): Success | Promise<Success> =>
  andThen(
    server.transact(accessOf(ready), (context) => performIn(server, context, ready)),
    (performed) => finish(server, ready, performed),
  );

/** A request changes the workspace of its credential, and those of the access tokens in its body. */
const accessOf = ({ request: { operation, principal }, prepared }: ReadyRequest): Access => {
  const others = Object.values(prepared.tokens).flatMap((token) => token?.principal.workspaceId ?? []);
  return { mode: modeOf(operation.method), locks: [principal.workspaceId, ...others] };
};

export const modeOf = (method: string): Access["mode"] => (method === "GET" ? "read" : "write");
