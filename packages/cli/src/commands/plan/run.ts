import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Context, GlobalFlags } from "../../context.js";
import { unwritableFile } from "../../errors/storage-errors.js";
import { planFromFile } from "../../manifest/plan-from-file.js";
import { renderPlan } from "../../manifest/render-plan.js";
import { printable } from "../../output/printable.js";
import { connect } from "../../service/connect.js";

/** Prints what applying a manifest would change, and saves it if `out` is given. */
export const runPlan = async (
  { file, out, prune = false }: { file?: string; out?: string; prune?: boolean },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, cwd } = context;
  const client = await connect(flags, context);
  const plan = await planFromFile(file, prune, client, flags, context);
  if (out !== undefined) {
    try {
      await writeFile(resolve(cwd, out), `${JSON.stringify(plan, undefined, 2)}\n`);
    } catch (error) {
      throw unwritableFile(out, error);
    }
    output.info(`Saved the plan in ${out}. mgmt apply ${out} applies it.`);
  }
  if (output.format === "table") output.text(renderPlan(plan).map(printable).join("\n"));
  else await output.result(plan);
};
