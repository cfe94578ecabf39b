import type { Context } from "../../input/context.js";
import { unexpectedResponseError } from "../../errors/response-errors.js";
import { type ControlFlags, requestControl } from "../../platform/request-control.js";
import { toPrintedApproval } from "../../platform/printed-approval.js";

/** Prints all approvals. */
export const runDevApprovalsList = async (flags: ControlFlags, context: Context): Promise<void> => {
  const approvals = await requestControl("GET", "/approvals", undefined, flags, context);
  if (!Array.isArray(approvals)) throw unexpectedResponseError("a list");
  await context.output.writeResult(approvals.map(toPrintedApproval));
};
