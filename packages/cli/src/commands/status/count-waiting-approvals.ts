import type { Context, GlobalFlags } from "../../input/context.js";
import { isObject } from "../../json/json-path.js";
import { requestControl } from "../../platform/request-control.js";
import { selectProfile } from "../../profiles/active-profile.js";

/**
 * Returns how many approvals are pending at the service that commands use. Returns undefined if it is not one of `mgmt dev` whose control
 * surface is known, or if that does not respond.
 */
export const countWaitingApprovals = async (
  flags: GlobalFlags,
  context: Context,
): Promise<number | undefined> => {
  const { env } = context;
  const isControlSetByEnv = Boolean(env["MGMT_CONTROL_URL"] && env["MGMT_CONTROL_SECRET_FILE"]);
  const isControlInProfile =
    flags.baseUrl === undefined &&
    !env["MGMT_BASE_URL"] &&
    selectProfile(flags, context).profile?.controlUrl !== undefined;
  if (!isControlSetByEnv && !isControlInProfile) return undefined;
  try {
    const approvals = await requestControl("GET", "/approvals", undefined, flags, context);
    return Array.isArray(approvals)
      ? approvals.filter((approval) => isObject(approval) && approval["status"] === "pending").length
      : undefined;
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
};
