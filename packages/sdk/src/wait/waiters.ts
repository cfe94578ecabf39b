import { observe } from "@mgmt/internal/observers/observe";
import { ApiError } from "../errors/api-error.js";
import type { AwaitedResource, PromotionState, TransferState } from "../errors/wait-errors.js";
import type { ApprovalRequiredError } from "../errors/generated/errors.js";
import type { App, Approval, Database, DeploymentDetails, Project } from "../generated/types.js";
import type { RequestOptions } from "../request/call.js";
import type { WaitContext } from "../request/context.js";
import type { ApprovalWaitOptions, WaitProgress } from "../request/approval-wait-options.js";
import {
  approvalGrantedGoal,
  databaseReadyGoal,
  deploymentPromotedGoal,
  deploymentRunningGoal,
  deploymentStoppedGoal,
  projectTransferredGoal,
} from "./goals.js";
import { type Poll, waitFor } from "./wait-for.js";
import type { WaitOptions } from "./wait-options.js";

type Waiter<T extends AwaitedResource> = (
  id: string,
  poll: Poll<T>,
  options: WaitOptions<T> | undefined,
  waitContext: WaitContext,
) => Promise<T>;

export const waitForApproval: Waiter<Approval> = (id, poll, options, waitContext) =>
  waitFor({ goal: approvalGrantedGoal, id, poll }, options, waitContext);

export const waitForDatabase: Waiter<Database> = (id, poll, options, waitContext) =>
  waitFor({ goal: databaseReadyGoal, id, poll }, options, waitContext);

export const waitForDeployment: Waiter<DeploymentDetails> = (id, poll, options, waitContext) =>
  waitFor({ goal: deploymentRunningGoal, id, poll }, options, waitContext);

export const waitForStop: Waiter<DeploymentDetails> = (id, poll, options, waitContext) =>
  waitFor({ goal: deploymentStoppedGoal, id, poll }, options, waitContext);

/** Returns an id without its prefix, which the service accepts with and without it. */
const removeIdPrefix = (deploymentId: string): string => deploymentId.replace(/^dpl_/, "");

/** Waits until a service has promoted a deployment. `readService` reads it. */
export const waitForPromotion = async (
  id: string,
  deploymentId: string,
  readService: (options: RequestOptions) => Promise<App>,
  options: WaitOptions<PromotionState> | undefined,
  waitContext: WaitContext,
): Promise<App> => {
  const poll = async (requestOptions: RequestOptions): Promise<PromotionState> => {
    const service = await readService(requestOptions);
    const isPromoted = removeIdPrefix(service.latestDeploymentId ?? "") === removeIdPrefix(deploymentId);
    return { status: isPromoted ? "promoted" : "pending", service };
  };
  return (await waitFor({ goal: deploymentPromotedGoal, id, poll }, options, waitContext)).service;
};

/** Waits until the recipient of a transfer can read the project. `readProject` reads it as the recipient. */
export const waitForTransfer = async (
  id: string,
  readProject: (options: RequestOptions) => Promise<Project>,
  options: WaitOptions<TransferState> | undefined,
  waitContext: WaitContext,
): Promise<Project> => {
  const poll = async (requestOptions: RequestOptions): Promise<TransferState> => {
    try {
      return { status: "transferred", project: await readProject(requestOptions) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return { status: "pending" };
      throw error;
    }
  };
  const finalState = await waitFor({ goal: projectTransferredGoal, id, poll }, options, waitContext);
  if (finalState.status === "pending") throw new Error("The wait ended before the transfer");
  return finalState.project;
};

/** Waits until the sponsor has approved the call that failed with `approvalError`. */
export const waitForSponsor = async (
  approvalError: ApprovalRequiredError,
  poll: Poll<Approval>,
  { onProgress, ...options }: ApprovalWaitOptions,
  waitContext: WaitContext,
): Promise<void> => {
  const { approvalId, approvalUrl, expiresAt, method, path } = approvalError;
  const reportProgress = (seen: Pick<Approval, "status" | "expiresAt">, progress: WaitProgress): void =>
    observe("onProgress", onProgress, {
      approvalId,
      approvalUrl,
      expiresAt: seen.expiresAt,
      status: seen.status,
      method,
      path,
      ...progress,
    });
  const onStart = (progress: WaitProgress): void =>
    reportProgress({ status: "pending", expiresAt }, progress);
  const wait = { goal: approvalGrantedGoal, id: approvalId, poll, onStart, cause: approvalError };
  await waitFor(wait, { ...options, onProgress: reportProgress }, waitContext);
};
