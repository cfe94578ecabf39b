import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { formatAddress } from "../../manifest/entry.js";
import type { Plan, Step } from "../../manifest/plan.js";
import { StepRunner } from "../../manifest/step-runner.js";
import { describeLostResponse } from "../../run/lost-response.js";
import type { ApprovalProgress } from "../../service/approval-progress.js";

/** How the steps of a plan wait for the approvals of an agent's sponsor. */
export interface ApprovalWait {
  readonly timeoutMs?: number;
  readonly progress: ApprovalProgress;
}

/** The results of the steps: ids by step, and errors by step. A step with neither was not carried out. */
export interface ApplyOutcome {
  readonly ids: ReadonlyMap<Step, string>;
  readonly errors: ReadonlyMap<Step, unknown>;
  /** The step that failed without a response, and may still have been carried out. */
  readonly unconfirmedStep?: Step;
}

/** The error of a request that the sponsor has to approve first. */
interface ApprovalNeededError {
  readonly approvalId: string;
  readonly approvalUrl: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Sends the requests of a plan, and stops at the first failure.
 *
 * A request that needs an approval does not hold up the steps that do not depend on it, so that the sponsor is asked for all approvals
 * together. With `approvalWait`, they are sent again after every decision: an approval for a window also covers those that are still pending.
 */
export const applySteps = async (
  plan: Plan,
  client: MgmtClient,
  approvalWait: ApprovalWait | undefined,
  context: Context,
): Promise<ApplyOutcome> => {
  const { output, signal, changeTracker } = context;
  const runner = new StepRunner(client, plan, context, true);
  const ids = new Map<Step, string>();
  const isNotDone = (step: Step): boolean => !ids.has(step);
  for (;;) {
    const pendingApprovals = new Map<Step, ApprovalNeededError>();
    const errors = new Map<Step, unknown>();
    for (const step of plan.steps.filter(isNotDone)) {
      if (isBlocked(step, plan.steps.filter(isNotDone))) continue;
      try {
        const id = await runner.run(step);
        ids.set(step, id);
        output.info(`Done: ${step.action} ${formatAddress(step)} (${id})`);
      } catch (error) {
        const isUnconfirmed = changeTracker.consumeUnconfirmed();
        if (signal.aborted && !isUnconfirmed) return { ids, errors };
        errors.set(step, error);
        if (!isApprovalNeededError(error)) {
          const isUnknown =
            isUnconfirmed && (signal.aborted || (await describeLostResponse(error)) !== undefined);
          return { ids, errors, ...(isUnknown && { unconfirmedStep: step }) };
        }
        pendingApprovals.set(step, error);
      }
    }
    if (pendingApprovals.size === 0 || !approvalWait) return { ids, errors };
    const rejectedStep = await waitForDecision(pendingApprovals, client, approvalWait, context);
    if (rejectedStep) return { ids, errors: new Map([[rejectedStep.step, rejectedStep.error]]) };
  }
};

/**
 * Returns whether a step has to wait for one of the open steps: for earlier steps with another action, since deletes come last; for earlier
 * creates, which it may refer to; or for the deletes of its contents.
 */
const isBlocked = (step: Step, openSteps: readonly Step[]): boolean =>
  openSteps.slice(0, openSteps.indexOf(step)).some((earlierStep) => {
    if (earlierStep.action !== step.action || step.action === "create") return true;
    return step.action === "delete" && step.path.every((key, index) => earlierStep.path[index] === key);
  });

const isApprovalNeededError = (error: unknown): error is ApprovalNeededError =>
  error instanceof Error && readErrorCode(error) === "approval_required" && "approvalId" in error;

/** Waits until the sponsor has decided about one of the requests. Returns the error of a request that is not approved. */
const waitForDecision = async (
  pendingApprovals: ReadonlyMap<Step, ApprovalNeededError>,
  client: MgmtClient,
  { timeoutMs, progress }: ApprovalWait,
  { signal }: Context,
): Promise<{ step: Step; error: unknown } | undefined> => {
  const waitController = new AbortController();
  const decisions = [...pendingApprovals].map(async ([step, { approvalId, approvalUrl, expiresAt }]) => {
    progress.report({
      approvalId,
      approvalUrl,
      status: "pending",
      expiresAt,
      remainingMs: timeoutMs ?? Number.POSITIVE_INFINITY,
    });
    try {
      await client.agentApprovals.wait(approvalId, {
        timeoutMs,
        signal: AbortSignal.any([signal, waitController.signal]),
        onProgress: (currentApproval, { remainingMs }) =>
          progress.report({
            approvalId,
            approvalUrl,
            status: currentApproval.status,
            expiresAt: currentApproval.expiresAt,
            remainingMs,
          }),
      });
      return undefined;
    } catch (error) {
      return { step, error };
    }
  });
  const firstDecision = await Promise.race(decisions);
  waitController.abort();
  await Promise.all(decisions);
  progress.removeSpinner();
  return firstDecision;
};
