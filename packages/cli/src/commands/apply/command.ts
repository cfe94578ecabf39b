import { usageError } from "../../errors/usage-errors.js";
import { defaultWait, parseDuration } from "../../input/duration.js";
import { addDryRunOption, dryRunFormat } from "../../program/dry-run-option.js";
import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt apply`. */
export const defineApply: DefineCommand = (command, context) => {
  command
    .description(
      "Creates, changes and deletes what mgmt plan shows. After a failure, running it again continues with the rest. " +
        "A saved plan is refused if what it was made from has changed since.",
    )
    .argument("[plan]", "plan saved by mgmt plan --out; without it, the manifest is compared and applied")
    .option("-f, --file <path>", "manifest, - for standard input (default: mgmt.yaml)")
    .option(
      "--prune",
      "also delete what these projects contain but the manifest does not; never deletes projects",
    )
    .option("--wait-approval", "as an agent: wait for the sponsor's approvals, then continue")
    .option("--wait", "wait until the created databases are ready")
    .option(
      "--timeout <time>",
      `how long --wait waits for each database (default: ${defaultWait}), and --wait-approval for each approval (default: 20m)`,
    );
  addDryRunOption(command);
  addGlobalOptions(command, { confirms: true });
  addSections(command, {
    Examples: () => [
      "mgmt apply",
      "mgmt apply --wait",
      "mgmt apply plan.json",
      "mgmt apply --prune --yes",
      "mgmt apply --dry-run",
    ],
  });
  command.action(async (planFile?: string) => {
    const { file, prune, wait, waitApproval, timeout } = command.opts<ApplyFlags>();
    if (planFile !== undefined && (file !== undefined || prune)) {
      throw usageError(
        "A saved plan cannot be combined with --file or --prune",
        "Pass them to mgmt plan --out instead.",
      );
    }
    if (timeout !== undefined && !wait && !waitApproval)
      throw usageError("--timeout can only be used with --wait or --wait-approval");
    const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
    const { runApply } = await import("./run.js");
    await runApply(
      {
        planFile,
        file,
        prune: prune ?? false,
        dryRun: dryRunFormat(command),
        ...(wait && { waitMs: timeoutMs ?? parseDuration(defaultWait, "--timeout") }),
        ...(waitApproval && { waitApproval: timeoutMs === undefined ? {} : { timeoutMs } }),
      },
      globalFlags(command),
      context,
    );
  });
};

interface ApplyFlags {
  file?: string;
  prune?: boolean;
  wait?: boolean;
  waitApproval?: boolean;
  timeout?: string;
}
