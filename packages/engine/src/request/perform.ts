import type { TransactionOptions } from "../store/storage-adapter.js";
import { JobClaimedError, SupersededError } from "../jobs/job-handler.js";
import type { ApprovalUse } from "./require-approval.js";
import type { AuthorizedRequest } from "./authorize.js";
import type { AnyOperationHandler, OperationCall, SuccessResponse } from "../context/operation-handler.js";
import { createOperationCall } from "./operation-call.js";
import { DatabaseUnavailableError, OutcomeUnknownError } from "../context/database-engine.js";
import type { PreparationResults } from "./preparation.js";
import { RequestError } from "../values/request-error.js";
import type { RequestContext } from "../context/request-context.js";
import { mapAwaitable } from "../values/awaitable.js";
import type { OperationContext } from "../context/operation-context.js";

/**
 * Returns the approval that the request uses; undefined when it needs none.
 *
 * @throws RequestError when the request is rejected.
 */
export type RequireApprovalStep = (
  call: OperationCall,
  request: AuthorizedRequest,
) => ApprovalUse | undefined;

/** A request that is ready for its handler. */
export interface ReadyRequest {
  readonly handler: AnyOperationHandler;
  readonly request: AuthorizedRequest;
  readonly preparationResults: PreparationResults;
  readonly requireApproval: RequireApprovalStep;
}

/** The result of a handler. */
export interface HandlerResult {
  readonly success: SuccessResponse;
  readonly approval: ApprovalUse | undefined;
}

/** Runs the handler of an operation in a transaction: check, require an approval, execute. */
export const runHandler = (
  { authenticator }: RequestContext,
  context: OperationContext,
  { handler, request, preparationResults, requireApproval }: ReadyRequest,
): HandlerResult => {
  const call = createOperationCall(authenticator, context, request, preparationResults.tokens);
  const checkResult = handler.check(call, preparationResults.handlerResult);
  const approval = requireApproval(call, request);
  approval?.consume(context);
  try {
    return { success: handler.execute(call, checkResult), approval };
  } catch (error) {
    approval?.release(context);
    throw error;
  }
};

/**
 * Makes the approval of a request that failed usable again. It stays used if the change may take effect, except for a deletion, which has
 * no other effect when it is repeated.
 *
 * @throws OutcomeUnknownError when the approval stays used because it cannot be stored.
 */
const releaseApproval = async (
  requestContext: RequestContext,
  readyRequest: ReadyRequest,
  approval: ApprovalUse,
  error: unknown,
): Promise<void> => {
  const isOutcomeUnknown = error instanceof OutcomeUnknownError;
  if (isOutcomeUnknown && readyRequest.request.operation.method !== "DELETE") return;
  try {
    await requestContext.transact(chooseTransactionOptions(readyRequest), (context) =>
      approval.release(context),
    );
  } catch (failure) {
    if (!(failure instanceof DatabaseUnavailableError)) throw failure;
    if (!isOutcomeUnknown) throw new OutcomeUnknownError("The approval may stay used", { cause: failure });
  }
};

/**
 * Runs a handler again whose job was superseded. A deletion that finds nothing has succeeded if another process took its job: that can
 * happen when the response of the commit that stored the job was lost.
 */
const runAgain = async (
  requestContext: RequestContext,
  readyRequest: ReadyRequest,
  supersededError: SupersededError,
  success: SuccessResponse,
): Promise<SuccessResponse> => {
  try {
    return await performOperation(requestContext, readyRequest);
  } catch (error) {
    const isDeleted =
      supersededError instanceof JobClaimedError &&
      readyRequest.request.operation.method === "DELETE" &&
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
export const waitForJob = (
  requestContext: RequestContext,
  readyRequest: ReadyRequest,
  { success, approval }: HandlerResult,
): SuccessResponse | Promise<SuccessResponse> => {
  if (success.after === undefined) return success;
  return requestContext.runJob(success.after).then(async (error) => {
    if (error === undefined) return success;
    if (approval) await releaseApproval(requestContext, readyRequest, approval, error);
    if (error instanceof SupersededError) return runAgain(requestContext, readyRequest, error, success);
    throw error instanceof Error ? error : new Error("The job failed", { cause: error });
  });
};

/** Runs the handler of an operation, and waits for the job that it schedules, if any. */
export const performOperation = (
  requestContext: RequestContext,
  readyRequest: ReadyRequest,
): SuccessResponse | Promise<SuccessResponse> =>
  mapAwaitable(
    requestContext.transact(chooseTransactionOptions(readyRequest), (context) =>
      runHandler(requestContext, context, readyRequest),
    ),
    (handlerResult) => waitForJob(requestContext, readyRequest, handlerResult),
  );

/**
 * Returns which rows the transaction of a request may change: the rows of its credential's workspace, and of the workspaces of the access
 * tokens in its body.
 */
const chooseTransactionOptions = ({
  request: { operation, principal },
  preparationResults,
}: ReadyRequest): TransactionOptions => {
  const otherWorkspaceIds = Object.values(preparationResults.tokens).flatMap(
    (token) => token?.principal.workspaceId ?? [],
  );
  return { mode: chooseMode(operation.method), locks: [principal.workspaceId, ...otherWorkspaceIds] };
};

/** Returns whether a request with this method reads or writes rows. */
export const chooseMode = (method: string): TransactionOptions["mode"] =>
  method === "GET" ? "read" : "write";
