import { usageError } from "../../errors/usage-errors.js";
import { defaultApprovalTimeout, defaultWaitTimeout, parseDuration } from "../../input/duration.js";
import { addDryRunOption, readDryRunFormat } from "../../input/dry-run-option.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { addManifestOptions } from "../../manifest/manifest-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import type { StepResult } from "./run-apply.js";

export const applyCommand: HandwrittenCommand<readonly StepResult[]> = {
  commandPath: "apply",
  helpGroup: "provisioning",
  order: 30,
  summary: "Make the service match a manifest",
  description:
    "Shows the plan as mgmt plan does, asks for confirmation on a terminal, and then creates, changes and deletes. Without " +
    "a terminal and in CI, only deletions need a confirmation: pass --yes. After a failure, run it again to continue with " +
    "the rest.\n\n" +
    "A saved plan is applied without a question unless it deletes something. It is refused if what it was made from has " +
    "changed since.",
  examples: [
    "mgmt apply",
    "mgmt apply --wait",
    "mgmt apply plan.json",
    "mgmt apply --prune --yes",
    "mgmt apply --dry-run",
  ],
  confirms: true,
  define: (command, context) => {
    addManifestOptions(command);
    command
      .argument(
        "[plan]",
        "plan saved by mgmt plan --out, - for standard input; without it, the manifest is compared and applied",
      )
      .option("--wait-approval", "as an agent: wait for the sponsor's approvals, then continue")
      .option("--wait", "wait until the created databases are ready")
      .option(
        "--timeout <time>",
        `how long --wait waits for each database (default: ${defaultWaitTimeout}), and --wait-approval for each approval (default: ${defaultApprovalTimeout})`,
      );
    addDryRunOption(command);
    command.action(async (planFile?: string) => {
      const { file, prune, target, wait, waitApproval, timeout } = command.opts<ApplyFlags>();
      if (planFile !== undefined && (file !== undefined || prune || target)) {
        throw usageError(
          "A saved plan cannot be combined with --file, --prune or --target",
          "Pass them to mgmt plan --out instead.",
        );
      }
      if (timeout !== undefined && !wait && !waitApproval)
        throw usageError("--timeout can only be used with --wait or --wait-approval");
      const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
      const { runApply } = await import("./run-apply.js");
      await runApply(
        {
          planFile,
          file,
          prune: prune ?? false,
          targets: target,
          dryRun: readDryRunFormat(command),
          ...(wait && { waitMs: timeoutMs ?? parseDuration(defaultWaitTimeout, "--timeout") }),
          ...(waitApproval && { approvalWaitOptions: timeoutMs === undefined ? {} : { timeoutMs } }),
        },
        collectGlobalFlags(command),
        context,
      );
    });
  },
};

interface ApplyFlags {
  file?: string;
  prune?: boolean;
  target?: string[];
  wait?: boolean;
  waitApproval?: boolean;
  timeout?: string;
}
