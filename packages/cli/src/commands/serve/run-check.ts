import type { ServiceCheck } from "@mgmt/platform/serve";
import { checksFailedError } from "../../errors/run-errors.js";
import type { Context } from "../../input/context.js";
import { printCheckList } from "../../output/check-list.js";
import { type ServeFlags, loadServeSettings } from "../../platform/serve-options.js";
import { replaceMgmtCommand } from "../../text/mgmt-command.js";
import type { PrintedServeCheck } from "./printed-check.js";

/** Runs all checks and prints their results. Throws `serve:check_failed` if one failed. */
export const runServeCheck = async (flags: ServeFlags, context: Context): Promise<void> => {
  const { output, env } = context;
  output.assertPrintsLists();
  const { serve, settings } = await loadServeSettings(flags, context);
  const checks = (await serve.checkService(settings)).map((check) => toPrinted(check, env));
  const { fields, query } = output.presentation;
  if (output.format === "table" && !fields && !query)
    await printCheckList(
      checks.map(({ statement, ...check }) => ({
        ...check,
        ...(statement !== undefined && { commands: [`${statement};`] }),
      })),
      output,
    );
  else await output.writeResult(checks);
  const failedCount = checks.filter(({ status }) => status === "failure").length;
  if (failedCount > 0)
    throw checksFailedError(failedCount, checks.length, ["mgmt", "serve", "--help"], "serve:check_failed");
};

const toPrinted = (
  { name, status, message, hint, statement }: ServiceCheck,
  env: NodeJS.ProcessEnv,
): PrintedServeCheck => ({
  ...{ name, message },
  status: status === "failed" ? "failure" : status,
  ...(hint !== undefined && { hint: replaceMgmtCommand(hint, env) }),
  ...(statement !== undefined && { statement }),
});
