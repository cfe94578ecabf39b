import { usageError } from "../errors/usage-errors.js";
import type { InputSources } from "../input/sources.js";
import { isObject } from "../json/json-path.js";
import { isNestedTooDeep, maxLevels } from "../json/nesting.js";
import { stripByteOrderMark } from "../text/byte-order-mark.js";

/** Reads ids from standard input, one for each line: an id, or a JSON object with an `id`. */
export const readIds = async (sources: InputSources): Promise<string[]> => {
  const lines = await readLines("-", "the ids", sources);
  return lines.map(({ json, line }) => {
    if (!json.startsWith("{")) return json;
    const { id } = parseObject(json, `Line ${line}`);
    if (typeof id !== "string")
      throw usageError(`Line ${line} has no id`, "Pass ids, or objects with an id.");
    return id;
  });
};

/** A JSON object of the file, and the number of its line. */
export interface ParsedLine {
  readonly line: number;
  readonly body: Record<string, unknown>;
}

/** Reads a file or standard input with a JSON object on each line. */
export const readBodies = async (path: string, sources: InputSources): Promise<ParsedLine[]> => {
  const lines = await readLines(path, "--ndjson", sources);
  return lines.map(({ json, line }) => ({ line, body: parseObject(json, `--ndjson: line ${line}`) }));
};

const readLines = async (
  path: string,
  inputName: string,
  sources: InputSources,
): Promise<{ json: string; line: number }[]> => {
  const input = stripByteOrderMark(await sources.read(path, inputName));
  return input
    .split("\n")
    .map((line, index) => ({ json: line.trim(), line: index + 1 }))
    .filter(({ json }) => json !== "");
};

const parseObject = (json: string, label: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's own message quotes the text, which may contain a secret.
    throw usageError(`${label} is not JSON`, "Nothing was sent. Pass one JSON object on each line.");
  }
  if (isNestedTooDeep(value)) {
    throw usageError(`${label} is nested more than ${String(maxLevels)} levels deep`, "Nothing was sent.");
  }
  if (isObject(value)) return value;
  throw usageError(`${label} is not a JSON object`, "Nothing was sent. Pass one JSON object on each line.");
};
