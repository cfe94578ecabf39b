import { errorCode } from "@mgmt/internal/errors/error-code";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { nameOf } from "../../manifest/entry.js";
import type { Plan, Step } from "../../manifest/plan.js";
import { StepRunner } from "../../manifest/run-steps.js";
import { lostResponse } from "../../run/lost-response.js";
import type { ApprovalProgress } from "../../service/approval-progress.js";

/** How the steps of a plan wait for the approvals of an agent's sponsor. */
export interface ApprovalWait {
  readonly timeoutMs?: number;
  readonly progress: ApprovalProgress;
}

/** The results of the steps: ids by step, and errors by step. A step with neither was not carried out. */
export interface Applied {
  readonly ids: ReadonlyMap<Step, string>;
  readonly errors: ReadonlyMap<Step, unknown>;
  /** The step with an error that may have been carried out all the same. */
  readonly unknown?: Step;
}

/** An error that says that the sponsor has to approve a request first. */
interface ApprovalNeeded {
  readonly approvalId: string;
  readonly approvalUrl: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Sends the requests of a plan, and stops at the first failure.
 *
 * A request that needs an approval does not hold up the steps that do not depend on it, so that the sponsor is asked for all
 * of them at once. With `wait`, they are sent again after every decision: an approval for a window also covers those that
 * are still pending.
 */
export const applySteps = async (
  plan: Plan,
  client: MgmtClient,
  wait: ApprovalWait | undefined,
  context: Context,
): Promise<Applied> => {
  const { output, signal, changes } = context;
  const runner = new StepRunner(client, plan, context, true);
  const ids = new Map<Step, string>();
  const isOpen = (step: Step): boolean => !ids.has(step);
  for (;;) {
    const pending = new Map<Step, ApprovalNeeded>();
    const errors = new Map<Step, unknown>();
    for (const step of plan.steps.filter(isOpen)) {
      if (isBlocked(step, plan.steps.filter(isOpen))) continue;
      try {
        const id = await runner.run(step);
        ids.set(step, id);
        output.info(`Done: ${step.action} ${nameOf(step)} (${id})`);
      } catch (error) {
        const isUnanswered = changes.takeUnanswered();
        if (signal.aborted && !isUnanswered) return { ids, errors };
        errors.set(step, error);
        if (!isApprovalNeeded(error)) {
          const isUnknown = isUnanswered && (signal.aborted || (await lostResponse(error)) !== undefined);
          return { ids, errors, ...(isUnknown && { unknown: step }) };
        }
        pending.set(step, error);
      }
    }
    if (pending.size === 0 || !wait) return { ids, errors };
    const refused = await nextDecision(pending, client, wait, context);
    if (refused) return { ids, errors: new Map([[refused.step, refused.error]]) };
  }
};

/**
 * Whether a step has to wait for one of the open steps: for those of an earlier kind, since deletes come last; for earlier creates, which
 * it may refer to; or for the deletes of its contents.
 */
const isBlocked = (step: Step, open: readonly Step[]): boolean =>
  open.slice(0, open.indexOf(step)).some((earlier) => {
    if (earlier.action !== step.action || step.action === "create") return true;
    return step.action === "delete" && step.path.every((key, index) => earlier.path[index] === key);
  });

const isApprovalNeeded = (error: unknown): error is ApprovalNeeded =>
  error instanceof Error && errorCode(error) === "approval_required" && "approvalId" in error;

/** Waits until the sponsor has decided about one of the requests. Returns the error of one that is not approved. */
const nextDecision = async (
  pending: ReadonlyMap<Step, ApprovalNeeded>,
  client: MgmtClient,
  { timeoutMs, progress }: ApprovalWait,
  { signal }: Context,
): Promise<{ step: Step; error: unknown } | undefined> => {
  const decided = new AbortController();
  const waits = [...pending].map(async ([step, { approvalId, approvalUrl, expiresAt }]) => {
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
        signal: AbortSignal.any([signal, decided.signal]),
        onProgress: (seen, { remainingMs }) =>
          progress.report({
            approvalId,
            approvalUrl,
            status: seen.status,
            expiresAt: seen.expiresAt,
            remainingMs,
          }),
      });
      return undefined;
    } catch (error) {
      return { step, error };
    }
  });
  const first = await Promise.race(waits);
  decided.abort();
  await Promise.all(waits);
  progress.end();
  return first;
};
