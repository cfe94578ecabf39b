import type { Failure } from "../errors/failure.js";
import { toPrintable } from "./printable.js";
import type { Style } from "./style.js";

/** Errors whose message ends with the output of a program, which keeps its lines. */
const codesWithOutput: ReadonlySet<string> = new Set([
  "platform:test_setup_failed",
  "platform:test_setup_timeout",
]);

/** Formats an error as readable text: its message, its details, and its hint, each on its own line. */
export const formatFailure = (failure: Omit<Failure, "exitCode">, style: Style): string => {
  const { message, code, issues = [], details = {}, hint, retryAfter, requestId } = failure;
  const [summary = "", ...programOutput] = codesWithOutput.has(code) ? message.split("\n") : [message];
  const lines = [`${style.bad("error:")} ${toPrintable(summary)} ${style.faint(`(${toPrintable(code)})`)}`];
  for (const line of programOutput) lines.push(`  ${toPrintable(line)}`);
  for (const issue of issues) {
    // The message of an error with a single issue usually contains it.
    if (!message.includes(issue.message)) lines.push(formatDetail(issue.path, issue.message));
  }
  for (const [name, value] of Object.entries(details)) {
    lines.push(formatDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
  }
  if (hint !== undefined) lines.push(`${style.strong("hint:")} ${toPrintable(hint)}`);
  if (retryAfter !== undefined) lines.push(`try again in: ${retryAfter} s`);
  if (requestId !== undefined) lines.push(style.faint(`request id: ${toPrintable(requestId)}`));
  return lines.join("\n");
};

const formatDetail = (name: string, text: string): string => `  ${toPrintable(name)}: ${toPrintable(text)}`;
