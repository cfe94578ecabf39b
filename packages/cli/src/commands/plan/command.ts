import { addGlobalOptions, globalFlags } from "../../program/global-options.js";
import { addSections } from "../../program/help-sections.js";
import type { DefineCommand } from "../../program/porcelain.js";

/** `mgmt plan`. */
export const definePlan: DefineCommand = (command, context) => {
  command
    .description(
      "Compares a manifest with the service, and prints what mgmt apply would create, change and delete. Changes nothing. " +
        "A plan saved with --out is applied only if what it was made from has not changed since.",
    )
    .option("-f, --file <path>", "manifest, - for standard input (default: mgmt.yaml)")
    .option("--out <path>", "save the plan in a file, for mgmt apply")
    .option(
      "--prune",
      "also delete what these projects contain but the manifest does not; never deletes projects",
    );
  addGlobalOptions(command);
  addSections(command, {
    Examples: () => ["mgmt plan", "mgmt plan -f shop.yaml --out plan.json", "mgmt apply plan.json"],
  });
  command.action(async () => {
    const { runPlan } = await import("./run.js");
    await runPlan(command.opts<PlanFlags>(), globalFlags(command), context);
  });
};

interface PlanFlags {
  file?: string;
  out?: string;
  prune?: boolean;
}
