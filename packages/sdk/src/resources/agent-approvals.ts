import { AgentApprovalsOperations } from "../generated/resources/agent-approvals.js";
import type { Approval } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Operations of `client.agentApprovals`. */
export class AgentApprovalsResource extends AgentApprovalsOperations {
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
    const { waitForApproval } = await this.load();
    return waitForApproval(approvalId, (each) => this.get(approvalId, each), options);
  }
}
