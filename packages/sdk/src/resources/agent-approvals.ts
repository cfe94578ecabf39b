import type { WaitFailedError, WaitTimeoutError } from "../errors/wait-errors.js";
import { AgentApprovalsOperations, type SafeAgentApprovalsOperations } from "./generated/agent-approvals.js";
import type { Approval } from "../generated/types.js";
import type { MethodError } from "../methods/method-error.js";
import type { safeKey } from "../methods/resource.js";
import type { Result } from "../methods/safe.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.agentApprovals`. */
export class AgentApprovalsResource extends AgentApprovalsOperations {
  declare readonly [safeKey]: SafeAgentApprovalsResource;

  /**
   * Wait for an approval.
   *
   * Polls the approval until the sponsor has approved the request, once or for a time window. Then send the same
   * request again; the `waitForApproval` option does both. See the `Approval` schema.
   *
   * The interval between polls grows to at most 5 seconds. Transient failures (no response, 408, 429, 5xx) are retried
   * for up to one minute.
   *
   * @param approvalId Id of the approval, from the `approval_required` error.
   * @param options `timeoutMs` defaults to 1,200,000, which is longer than the 15 minutes that a sponsor has to decide.
   * @throws `WaitFailedError` `approval:denied`, `approval:expired` or `approval:consumed`.
   * @throws `WaitTimeoutError` `wait:timeout`: the approval is still pending at the deadline.
   * @throws `ApprovalNotFoundError` 404: this agent has no such approval.
   * @throws The errors of `get`, and the reason of `options.signal` if it is aborted.
   */
  async wait(approvalId: string, options?: WaitOptions<Approval>): Promise<Approval> {
    return (await this.core().load()).waitForApproval(
      approvalId,
      (requestOptions) => this.get(approvalId, requestOptions),
      options,
    );
  }
}

/** `client.safe.agentApprovals` */
export interface SafeAgentApprovalsResource extends SafeAgentApprovalsOperations {
  /** Wait for an approval, as {@link AgentApprovalsResource.wait} does. */
  wait(
    approvalId: string,
    options?: WaitOptions<Approval>,
  ): Promise<Result<Approval, MethodError<"agentApprovals.get"> | WaitTimeoutError | WaitFailedError>>;
}
