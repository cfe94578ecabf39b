import type { Context, GlobalFlags } from "../../input/context.js";
import { checksFailedError } from "../../errors/run-errors.js";
import { printCheckList } from "../../output/check-list.js";
import { getMgmtCommand, replaceMgmtCommand } from "../../text/mgmt-command.js";
import { quoteShellWord } from "../../text/shell-word.js";
import type { Check } from "./check.js";
import { checkMachine } from "./machine-checks.js";
import { checkService } from "./service-checks.js";

/** Runs all checks and prints their results. Throws `doctor:failed` if one failed. */
export const runDoctor = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { output } = context;
  const machineResults = await checkMachine(flags, context);
  const results = [...machineResults, ...(await checkService(flags, context, machineResults))];
  const checks = results.map((check) => replaceMgmtCommandInCheck(check, context));
  const { fields, query } = output.presentation;
  if (output.format === "table" && !fields && !query)
    await printCheckList(
      checks.map(({ next, ...check }) => ({
        ...check,
        commands: next.map((args) => args.map(quoteShellWord).join(" ")),
      })),
      output,
    );
  else await output.writeResult(checks);
  const failures = results.filter(({ status }) => status === "failure");
  if (failures.length > 0) throw checksFailedError(failures.length, checks.length, failures[0]?.next[0]);
};

/** Returns a check whose commands start with the command that starts `mgmt` again. */
const replaceMgmtCommandInCheck = (
  { hint, next, ...check }: Check,
  { env }: Pick<Context, "env">,
): Check => ({
  ...check,
  ...(hint !== undefined && { hint: replaceMgmtCommand(hint, env) }),
  next: next.map(([, ...args]) => [...getMgmtCommand(env), ...args]),
});
