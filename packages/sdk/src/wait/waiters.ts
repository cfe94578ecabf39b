import type { AwaitedResource } from "../errors/wait-errors.js";
import type { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval, Database, DeploymentDetails } from "../generated/types.js";
import type { ApprovalWaitOptions, WaitProgress } from "./approval-wait-options.js";
import { approvalGiven, databaseReady, deploymentRunning } from "./goals.js";
import { type Poll, waitFor } from "./wait-for.js";
import type { WaitOptions } from "./wait-options.js";

type Waiter<T extends AwaitedResource> = (
  id: string,
  poll: Poll<T>,
  options: WaitOptions<T> | undefined,
) => Promise<T>;

export const waitForApproval: Waiter<Approval> = (id, poll, options) =>
  waitFor({ goal: approvalGiven, id, poll }, options);

export const waitForDatabase: Waiter<Database> = (id, poll, options) =>
  waitFor({ goal: databaseReady, id, poll }, options);

export const waitForDeployment: Waiter<DeploymentDetails> = (id, poll, options) =>
  waitFor({ goal: deploymentRunning, id, poll }, options);

/** Waits until the sponsor has approved the call that failed with `required`. */
export const waitForSponsor = async (
  required: ApprovalRequiredError,
  poll: Poll<Approval>,
  { timeoutMs, onProgress }: ApprovalWaitOptions,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const { approvalId, approvalUrl, expiresAt, method, path } = required;
  const report = (
    seen: Pick<Approval, "status" | "expiresAt">,
    progress: WaitProgress,
  ): void | Promise<void> =>
    onProgress?.({
      approvalId,
      approvalUrl,
      expiresAt: seen.expiresAt,
      status: seen.status,
      method,
      path,
      ...progress,
    });
  const onStart = (progress: WaitProgress): void | Promise<void> =>
    report({ status: "pending", expiresAt }, progress);
  const wait = { goal: approvalGiven, id: approvalId, poll, onStart, cause: required };
  await waitFor(wait, { signal, timeoutMs, onProgress: report });
};
