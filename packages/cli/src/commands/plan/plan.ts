import { collectGlobalFlags } from "../../command-line/global-options.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";
import { isInterruption, planExitCodes } from "../../errors/exit-codes.js";
import { planExitCodesText } from "../../errors/exit-code-meanings.js";
import { addManifestOptions } from "../../manifest/manifest-options.js";
import type { PlanFlags } from "./run-plan.js";
import type { Plan } from "../../manifest/plan.js";

const exitCodeFlag = "--exit-code";

/** With `--exit-code`, 2 means that there are changes, so every error is 1, also an error of the command line itself. */
const mapErrorExitCode = (exitCode: number, args: readonly string[]): number =>
  args.includes(exitCodeFlag) && !isInterruption(exitCode) ? planExitCodes.failed : exitCode;

export const planCommand: HandwrittenCommand<Plan> = {
  commandPath: "plan",
  helpGroup: "provisioning",
  order: 20,
  summary: "Show what applying a manifest would change",
  description:
    "Compares a manifest with the service, and prints what mgmt apply would create, change and delete. Changes nothing. " +
    "A plan saved with --out is applied only if what it was made from has not changed since.",
  examples: [
    "mgmt plan",
    "mgmt plan -f shop.yaml --out plan.json",
    "mgmt apply plan.json",
    "mgmt plan --exit-code",
  ],
  define: (command, context) => {
    addManifestOptions(command);
    command
      .option("--out <path>", "save the plan in a file, for mgmt apply; - for standard output")
      .option(exitCodeFlag, `exit with ${planExitCodesText}`);
    command.mapErrorExitCode = mapErrorExitCode;
    command.action(async () => {
      const { runPlan } = await import("./run-plan.js");
      await runPlan(command.opts<PlanFlags>(), collectGlobalFlags(command), context);
    });
  },
};
