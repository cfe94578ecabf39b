import { AgentApprovalsOperations } from "../generated/resources/agent-approvals.js";
import type { Approval } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** `client.agentApprovals` */
export class AgentApprovalsResource extends AgentApprovalsOperations {
  /**
   * Wait for an approval.
   *
   * Polls it until the sponsor has approved the request, once or for a window (§ Agents and approvals). Then send the same
   * request again; the option `waitForApproval` does both.
   *
   * Pauses between looks grow to at most 5 seconds. A look that fails with what may pass (no answer, 408, 429, 5xx) ends
   * nothing for a minute.
   *
   * @param approvalId Id of the approval, as the `approval_required` answer gave it.
   * @param options `timeoutMs` is 1,200,000 by default, longer than the 15 minutes that a sponsor has to decide.
   * @throws `WaitFailedError` `approval:denied`, `approval:expired` or `approval:consumed`.
   * @throws `WaitTimeoutError` `wait:timeout`: it is still pending at the deadline.
   * @throws `ApprovalNotFoundError` 404: this agent has no such approval.
   * @throws As `get`, and the reason of `options.signal` when that is aborted.
   */
  async wait(approvalId: string, options?: WaitOptions<Approval>): Promise<Approval> {
    const { waitForApproval } = await this.load();
    return waitForApproval(approvalId, (each) => this.get(approvalId, each), options);
  }
}
