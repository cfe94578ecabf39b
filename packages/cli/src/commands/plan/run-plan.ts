import { resolve } from "node:path";
import type { Context, GlobalFlags } from "../../input/context.js";
import { planExitCodes, ProgramExitError } from "../../errors/exit-codes.js";
import { unwritableFileError } from "../../errors/storage-errors.js";
import { replaceFile } from "../../files/replace-file.js";
import { createPlanFromFile } from "../../manifest/plan-from-file.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { toSafeJson } from "../../output/printable.js";
import { isPreviewEntry } from "../../preview/record.js";
import { connect } from "../../service/connect.js";

export interface PlanFlags {
  readonly file?: string;
  readonly out?: string;
  readonly prune?: boolean;
  readonly target?: readonly string[];
  readonly exitCode?: boolean;
}

/** Prints what applying a manifest would change, and saves it if `out` is given. */
export const runPlan = async (
  { file, out, prune = false, exitCode = false, target: targets }: PlanFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, cwd } = context;
  const client = await connect(flags, context);
  const plan = await createPlanFromFile(
    { file, prune, targets, isPreview: isPreviewEntry },
    client,
    flags,
    context,
  );
  const planText = `${toSafeJson(plan, 2)}\n`;
  if (out === "-") {
    output.writeText(planText);
    if (exitCode && plan.steps.length > 0) throw new ProgramExitError(planExitCodes.changes);
    return;
  }
  if (out !== undefined) {
    try {
      await replaceFile(resolve(cwd, out), { root: cwd, newMode: 0o644 }, () => Buffer.from(planText));
    } catch (error) {
      throw unwritableFileError(out, error);
    }
    output.info(`Saved the plan in ${out}. mgmt apply ${out} applies it.`);
  }
  const { query, fields } = output.presentation;
  if (output.format !== "table" || query || fields) await output.writeResult(plan);
  else output.writeWrapped(renderPlan(plan, await output.loadStyle()).join("\n"));
  if (exitCode && plan.steps.length > 0) throw new ProgramExitError(planExitCodes.changes);
};
