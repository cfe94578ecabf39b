import { parseDuration } from "../input/duration.js";
import type { MgmtCommand } from "../program/command.js";
import { addGlobalOptions, globalFlags } from "../program/global-options.js";
import { addSections } from "../program/help.js";
import { targetsOf } from "../program/targets.js";
import type { Context } from "../run/context.js";

/** `mgmt agent-approvals wait`, beside the group's own operations. */
export const defineApprovalWait = (command: MgmtCommand, context: Context): void => {
  command
    .summary("Wait until the sponsor has decided")
    .description(
      "Waits until the sponsor approves; then send the same request again. Ends with 8 while it is still pending, with 5 when " +
        "it is denied.",
    )
    .argument("<approval-id>", "id of the approval, as the refused request gave it (apr_…)")
    .option("--timeout <time>", "how long to wait, such as 90s or 5m (default: 20m)");
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt agent-approvals wait apr_8s2d4f6g1h3j5k7l9q0w2e4r --timeout 10m"],
  });
  command.action(async (id: string) => {
    const { timeout } = command.opts<{ timeout?: string }>();
    const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
    const parameter = { name: "approvalId", label: "approval-id", help: "" };
    const [{ approvalId = id } = {}] = targetsOf([parameter], [id]);
    const { awaitApproval } = await import("../run/await-approval.js");
    await awaitApproval(approvalId, timeoutMs, globalFlags(command), context);
  });
};
