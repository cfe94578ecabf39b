import { STATUS_CODES } from "node:http";
import type { Context } from "../../input/context.js";
import { isObject } from "../../json/json-path.js";
import { requireShallow } from "../../output/require-shallow.js";
import { type Output, SelectedText } from "../../output/output.js";
import { toPrintable, toSafeJson } from "../../output/printable.js";
import { redactHeaders } from "@mgmt/internal/redaction/redact";

/** A response without its body. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseFormat {
  /** Whether the user chose a format. If not, bodies are printed as JSON, and errors as text. */
  readonly isFormatChosen: boolean;
  /** Component schema of what is in the body's `data`. */
  readonly resource: string | undefined;
  /** The status and headers, if they are printed too. */
  readonly head?: ResponseHead | undefined;
}

/** Formats that print whole documents. The others print resources. */
const documentFormats: readonly string[] = ["json", "yaml"];

/** Prints a response: its head if there is one to print, and its body unless that is undefined. */
export const printResponse = async (
  body: unknown,
  { isFormatChosen, resource, head }: ResponseFormat,
  { output }: Pick<Context, "output">,
): Promise<void> => {
  const { format, presentation } = output;
  if (head && isFormatChosen && (documentFormats.includes(format) || format === "ndjson")) {
    const headers = redactHeaders(head.headers);
    return output.writeResult({ status: head.status, headers, body: body ?? null });
  }
  if (head) output.writeText(renderHead(head));
  if (body === undefined) return;
  requireShallow(body);
  const selectedContents = presentation.fields ? unwrapData(body) : body;
  if (!isFormatChosen) return printJson(selectedContents, output);
  const printsWholeBody = documentFormats.includes(format) || presentation.query !== undefined;
  await output.writeResult(printsWholeBody ? selectedContents : unwrapData(body), resource);
};

/** Returns the contents of the envelope of a body, or the body itself if it has none. */
const unwrapData = (body: unknown): unknown => (isObject(body) && "data" in body ? body["data"] : body);

/** Prints a value as JSON, or the part that a query selects. Selected strings and numbers are printed as lines. */
export const printJson = async (value: unknown, output: Output): Promise<void> => {
  const { query, fields } = output.presentation;
  const pickedFields = fields
    ? (await import("../../output/pick-fields.js")).pickFields(value, fields)
    : value;
  const selectedValue = query ? await query(pickedFields) : pickedFields;
  if (selectedValue instanceof SelectedText) {
    output.writeSelected(selectedValue);
    return;
  }
  const elements: unknown[] = Array.isArray(selectedValue) ? selectedValue : [selectedValue];
  if (!query || elements.some((element) => typeof element === "object" && element !== null)) {
    return output.writeText(toSafeJson(selectedValue, 2));
  }
  const lines = elements
    .filter((element) => element !== null && element !== undefined)
    .map((element) => toPrintable(String(element)));
  if (lines.length > 0) output.writeText(lines.join("\n"));
};

const renderHead = ({ status, headers }: ResponseHead): string => {
  const reason = STATUS_CODES[status];
  const lines = Object.entries(redactHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${String(status)}${reason === undefined ? "" : ` ${reason}`}`, ...lines, ""]
    .map((line) => `${toPrintable(line)}\n`)
    .join("");
};
