import type { Context, GlobalFlags } from "../../input/context.js";
import { checksFailed } from "../../errors/run-errors.js";
import { drawRows, gap, widthsOf } from "../../output/draw-rows.js";
import { printable } from "../../output/printable.js";
import { shellWord } from "../../text/shell-word.js";
import { wrap } from "../../output/wrap.js";
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

/** Beside a narrower column, messages are below the names of the checks. */
const minimumMessageWidth = 24;

/** Prints a line for each check, and below it what to do about a problem. On a terminal, lines are broken between words. */
const printLines = async (checks: readonly Check[], { output }: Pick<Context, "output">): Promise<void> => {
  const style = await output.style();
  const marks = { ok: style.good, warning: style.busy, failure: style.bad, skipped: style.faint };
  const heads = checks.map(({ name, status }) => [
    { text: status, emphasize: marks[status] },
    { text: name },
  ]);
  const columns = output.isTerminal ? output.helpWidth : Infinity;
  const left = widthsOf(heads).reduce((sum, width) => sum + width + gap.length, 0);
  const isBeside = columns - left >= minimumMessageWidth;
  const indent = " ".repeat(isBeside ? left : 2 * gap.length);
  const texts = checks.map(({ message, hint }) =>
    [message, hint ?? []].flat().flatMap((text) => wrap(printable(text), columns - indent.length)),
  );
  const rows = heads.map((head, index) => (isBeside ? [...head, { text: texts[index]?.[0] ?? "" }] : head));
  const drawn = drawRows(rows, widthsOf(rows));
  const lines = checks.flatMap(({ next }, index) => [
    drawn[index] ?? "",
    ...(texts[index] ?? []).slice(isBeside ? 1 : 0).map((text) => indent + text),
    ...next.map((words) => `${indent}${style.strong(printable(words.map(shellWord).join(" ")))}`),
  ]);
  output.text(lines.join("\n"));
};
