import { STATUS_CODES } from "node:http";
import type { Context } from "../../input/context.js";
import { isObject } from "../../json/json-path.js";
import { checkNesting } from "../../output/check-nesting.js";
import { type Output, SelectedText } from "../../output/output.js";
import { printable, toJson } from "../../output/printable.js";
import { redactHeaders } from "../../sdk/redaction.js";

/** A response without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseFormat {
  /** Whether a format was named. If not, bodies are printed as JSON, and errors as text. */
  readonly isNamed: boolean;
  /** Component schema of what is in the body's `data`. */
  readonly resource: string | undefined;
  /** The part of the response before the body, to be printed too. */
  readonly head?: ResponseHead | undefined;
}

/** Formats that print whole documents. The others print resources. */
const documents: readonly string[] = ["json", "yaml"];

/** Prints a response body. Undefined is printed for a response without one only with its head. */
export const printResponse = async (
  body: unknown,
  { isNamed, resource, head }: ResponseFormat,
  { output }: Pick<Context, "output">,
): Promise<void> => {
  const { format, presentation } = output;
  if (head && isNamed && (documents.includes(format) || format === "ndjson")) {
    const headers = redactHeaders(head.headers);
    return output.result({ status: head.status, headers, body: body ?? null });
  }
  if (head) output.text(headText(head));
  if (body === undefined) return;
  checkNesting(body);
  const contents = presentation.fields ? contentsOf(body) : body;
  if (!isNamed) return printJson(contents, output);
  const isWhole = documents.includes(format) || presentation.query !== undefined;
  await output.result(isWhole ? contents : contentsOf(body), resource);
};

/** Returns the contents of the envelope of a body, or the body itself if it has none. */
const contentsOf = (body: unknown): unknown => (isObject(body) && "data" in body ? body["data"] : body);

/** Prints a value as JSON, or the part that a query selects. Selected strings and numbers are printed as lines. */
export const printJson = async (value: unknown, output: Output): Promise<void> => {
  const { query, fields } = output.presentation;
  const picked = fields ? (await import("../../output/selection.js")).pick(value, fields) : value;
  const selected = query ? await query(picked) : picked;
  if (selected instanceof SelectedText) {
    output.selected(selected);
    return;
  }
  const items: unknown[] = Array.isArray(selected) ? selected : [selected];
  if (!query || items.some((item) => typeof item === "object" && item !== null)) {
    return output.text(toJson(selected, 2));
  }
  const lines = items.filter((item) => item !== null && item !== undefined);
  if (lines.length > 0) output.text(lines.map((line) => printable(String(line))).join("\n"));
};

const headText = ({ status, headers }: ResponseHead): string => {
  const reason = STATUS_CODES[status];
  const lines = Object.entries(redactHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${String(status)}${reason === undefined ? "" : ` ${reason}`}`, ...lines, ""]
    .map((line) => `${printable(line)}\n`)
    .join("");
};
