import type { Context, GlobalFlags } from "../../input/context.js";
import { checksFailedError } from "../../errors/run-errors.js";
import { drawRows, columnGap, measureColumnWidths } from "../../output/draw-rows.js";
import { toPrintable } from "../../output/printable.js";
import { getProgramWords, withProgramWords } from "../../text/program-words.js";
import { quoteShellWord } from "../../text/shell-word.js";
import { wrapText } from "../../output/wrap.js";
import type { Check } from "./check.js";
import { checkMachine } from "./machine-checks.js";
import { checkService } from "./service-checks.js";

/** Runs all checks and prints their results. Throws `doctor:failed` if one failed. */
export const runDoctor = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { output } = context;
  const machineResults = await checkMachine(flags, context);
  const results = [...machineResults, ...(await checkService(flags, context, machineResults))];
  const checks = results.map((check) => withOwnProgramWords(check, context));
  const { fields, query } = output.presentation;
  if (output.format === "table" && !fields && !query) await printChecks(checks, context);
  else await output.writeResult(checks);
  const failures = results.filter(({ status }) => status === "failure");
  if (failures.length > 0) throw checksFailedError(failures.length, checks.length, failures[0]?.next[0]);
};

/** Returns a check whose commands start with the words that start this one. */
const withOwnProgramWords = ({ hint, next, ...check }: Check, { env }: Pick<Context, "env">): Check => ({
  ...check,
  ...(hint !== undefined && { hint: withProgramWords(hint, env) }),
  next: next.map(([, ...words]) => [...getProgramWords(env), ...words]),
});

/** Beside a narrower column, messages are below the names of the checks. */
const minMessageWidth = 24;

/** Prints a line for each check, and below it what to do about a problem. On a terminal, lines are broken between words. */
const printChecks = async (checks: readonly Check[], { output }: Pick<Context, "output">): Promise<void> => {
  const style = await output.loadStyle();
  const emphasisByStatus = { ok: style.good, warning: style.busy, failure: style.bad, skipped: style.faint };
  const headCells = checks.map(({ name, status }) => [
    { text: status, emphasize: emphasisByStatus[status] },
    { text: name },
  ]);
  const columns = output.isTerminal ? output.helpWidth : Infinity;
  const headWidth = measureColumnWidths(headCells).reduce((sum, width) => sum + width + columnGap.length, 0);
  const fitsBeside = columns - headWidth >= minMessageWidth;
  const indent = " ".repeat(fitsBeside ? headWidth : 2 * columnGap.length);
  const messageLines = checks.map(({ message, hint }) =>
    [message, hint ?? []].flat().flatMap((text) => wrapText(toPrintable(text), columns - indent.length)),
  );
  const rows = headCells.map((head, index) =>
    fitsBeside ? [...head, { text: messageLines[index]?.[0] ?? "" }] : head,
  );
  const drawnRows = drawRows(rows, measureColumnWidths(rows));
  const lines = checks.flatMap(({ next }, index) => [
    drawnRows[index] ?? "",
    ...(messageLines[index] ?? []).slice(fitsBeside ? 1 : 0).map((text) => indent + text),
    ...next.map((words) => `${indent}${style.strong(toPrintable(words.map(quoteShellWord).join(" ")))}`),
  ]);
  output.writeText(lines.join("\n"));
};
