import type { Context } from "../../input/context.js";
import { unexpectedResponse } from "../../errors/response-errors.js";
import { type ControlFlags, requestControl } from "../../platform/request-control.js";
import { printedApproval } from "./printed-approval.js";

/** Prints all approvals. */
export const listApprovals = async (flags: ControlFlags, context: Context): Promise<void> => {
  const rows = await requestControl("GET", "/approvals", undefined, flags, context);
  if (!Array.isArray(rows)) throw unexpectedResponse("a list");
  await context.output.result(rows.map(printedApproval));
};
