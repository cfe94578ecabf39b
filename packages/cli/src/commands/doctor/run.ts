import type { Context, GlobalFlags } from "../../context.js";
import { checksFailed } from "../../errors/run-errors.js";
import { printable } from "../../output/printable.js";
import { shellWord } from "../../operations/examples.js";
import type { Check } from "./check.js";
import { machineChecks } from "./machine-checks.js";
import { serviceChecks } from "./service-checks.js";

/** Runs all checks and prints their results. Throws `doctor:failed` if one failed. */
export const runDoctor = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { output } = context;
  const machine = await machineChecks(flags, context);
  const checks = [...machine, ...(await serviceChecks(flags, context, machine))];
  const { fields, query } = output.presentation;
  if (output.format === "table" && !fields && !query) await printLines(checks, context);
  else await output.result(checks);
  const failures = checks.filter(({ status }) => status === "failure");
  if (failures.length > 0) throw checksFailed(failures.length, checks.length, failures[0]?.next[0]);
};

/** Prints a line for each check, and below it what to do about a problem. Long lines wrap, so that nothing is lost. */
const printLines = async (checks: readonly Check[], { output }: Pick<Context, "output">): Promise<void> => {
  const style = await output.style();
  const marks = { ok: style.good, warning: style.busy, failure: style.bad, skipped: style.faint };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, message, hint, next }) => {
    const indent = " ".repeat("failure  ".length + width + 2);
    return [
      `${marks[status](status)}${" ".repeat(9 - status.length)}${name.padEnd(width)}  ${printable(message)}`,
      ...(hint === undefined ? [] : [`${indent}${printable(hint)}`]),
      ...next.map((words) => `${indent}${style.strong(printable(words.map(shellWord).join(" ")))}`),
    ];
  });
  output.text(lines.join("\n"));
};
