import type { AwaitedResource } from "../errors/wait-errors.js";
import type { ApprovalRequiredError } from "../generated/errors.js";
import type { Approval, Database, DeploymentDetails } from "../generated/types.js";
import { approvalGiven, databaseReady, deploymentRunning } from "./goals.js";
import { type Look, waitFor } from "./wait-for.js";
import type { ApprovalWaitOptions, WaitOptions, WaitProgress } from "./wait-options.js";

// This module and what it imports are loaded when something first waits: those who never do pay nothing for it.

type Waiter<T extends AwaitedResource> = (
  id: string,
  look: Look<T>,
  options: WaitOptions<T> | undefined,
) => Promise<T>;

export const waitForApproval: Waiter<Approval> = (id, look, options) =>
  waitFor({ goal: approvalGiven, id, look }, options);

export const waitForDatabase: Waiter<Database> = (id, look, options) =>
  waitFor({ goal: databaseReady, id, look }, options);

export const waitForDeployment: Waiter<DeploymentDetails> = (id, look, options) =>
  waitFor({ goal: deploymentRunning, id, look }, options);

/** Waits until the call that was refused with `required` may be sent again. */
export const waitForSponsor = async (
  required: ApprovalRequiredError,
  look: Look<Approval>,
  { timeoutMs, onProgress }: ApprovalWaitOptions,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const { approvalId, approvalUrl, expiresAt, method, path } = required;
  const tell = (seen: Pick<Approval, "status" | "expiresAt">, progress: WaitProgress): void | Promise<void> =>
    onProgress?.({
      approvalId,
      approvalUrl,
      expiresAt: seen.expiresAt,
      status: seen.status,
      method,
      path,
      ...progress,
    });
  const begin = (progress: WaitProgress): void | Promise<void> =>
    tell({ status: "pending", expiresAt }, progress);
  const wait = { goal: approvalGiven, id: approvalId, look, begin, cause: required };
  await waitFor(wait, { signal, timeoutMs, onProgress: tell });
};
