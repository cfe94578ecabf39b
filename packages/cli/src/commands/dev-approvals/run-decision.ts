import type { Context } from "../../input/context.js";
import { type ControlFlags, requestControl } from "../../platform/request-control.js";
import { toPrintedApproval } from "../../platform/printed-approval.js";

/** The decision of an agent's sponsor about a request: approve it once, approve such requests for some time, or deny it. */
export type Decision =
  | { kind: "approve" }
  | { kind: "approve-window"; milliseconds: number }
  | { kind: "deny" };

/** Approves or denies an approval, and prints it. `id` must have the form of an id. */
export const runDevApprovalsDecision = async (
  id: string,
  { kind, ...fields }: Decision,
  flags: ControlFlags,
  context: Context,
): Promise<void> => {
  const approval = await requestControl("POST", `/approvals/${id}/${kind}`, fields, flags, context);
  await context.output.writeResult(toPrintedApproval(approval));
};
