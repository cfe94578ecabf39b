import { patternWords } from "../generated/pattern-words.js";
import type { Finding } from "../generated/validators.js";
import type { Issue } from "../values/request-error.js";

const maxIssues = 20;

/**
 * Converts the findings of a validator to issues: one for each place, without the rejected value.
 *
 * @param toPath converts a JSON pointer to the path of an issue.
 */
export const toIssues = (findings: readonly Finding[], toPath: (pointer: string) => string): Issue[] => {
  const messagesByPath = new Map<string, string[]>();
  for (const finding of findings) {
    if (isSummaryFinding(finding)) continue;
    const path = toPath(toFieldPointer(finding));
    const messages = messagesByPath.get(path) ?? [];
    const message = describeFinding(finding);
    if (!messages.includes(message)) messages.push(message);
    messagesByPath.set(path, messages);
  }
  return [...messagesByPath]
    .slice(0, maxIssues)
    .map(([path, messages]) => ({ path, message: joinMessages(messages) }));
};

/** Returns whether a finding only repeats others: no alternative matches, or the discriminator is missing. */
const isSummaryFinding = ({ keyword, params }: Finding): boolean =>
  keyword === "anyOf" ||
  keyword === "oneOf" ||
  (keyword === "discriminator" && params["error"] === "tag" && params["tagValue"] === undefined);

/** Joins the messages of failed alternatives: "must be a date or a date and time". */
const joinMessages = (messages: readonly string[]): string =>
  messages
    .map((message, index) =>
      /^must be (?!one of)/.test(messages[index - 1] ?? "") ? message.replace(/^must be /, "") : message,
    )
    .join(" or ");

/**
 * Returns the JSON Pointer of a finding. For a missing or unknown field, that is the field itself, not the object that
 * contains it.
 */
export const toFieldPointer = ({ instancePath, keyword, params }: Finding): string => {
  const fieldName =
    keyword === "required"
      ? params["missingProperty"]
      : keyword === "additionalProperties"
        ? params["additionalProperty"]
        : keyword === "discriminator"
          ? params["tag"]
          : undefined;
  return typeof fieldName === "string" ? `${instancePath}/${escapePointerSegment(fieldName)}` : instancePath;
};

/**
 * Escapes a name for a JSON pointer, and truncates it to 100 characters. See
 * https://www.rfc-editor.org/rfc/rfc6901#section-3.
 */
const escapePointerSegment = (name: string): string =>
  name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1");

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
  null: "null",
};

const formatNames: Readonly<Record<string, string>> = {
  date: "a date (YYYY-MM-DD)",
  "date-time": "a date and time with a time zone (RFC 3339)",
  uri: "a URI",
};

const formatCount = (limit: unknown, unit: string): string =>
  `${String(limit)} ${unit}${limit === 1 ? "" : "s"}`;

const describeFinding = ({ keyword, params }: Finding): string => {
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is not a field of this request";
    case "type":
      return `must be ${[params["type"]]
        .flat()
        .map((type) => typeNames[String(type)] ?? String(type))
        .join(" or ")}`;
    case "enum":
      return `must be one of ${[params["allowedValues"]].flat().map(String).join(", ")}`;
    case "const":
      return `must be ${String(params["allowedValue"])}`;
    case "discriminator":
      return "is not a type that this request accepts";
    case "format":
      return `must be ${formatNames[String(params["format"])] ?? `of the format ${String(params["format"])}`}`;
    case "pattern":
      return describePattern(String(params["pattern"]));
    case "minLength":
      return params["limit"] === 1
        ? "must not be empty"
        : `must have at least ${formatCount(params["limit"], "character")}`;
    case "maxLength":
      return `must have at most ${formatCount(params["limit"], "character")}`;
    case "minimum":
      return `must be at least ${String(params["limit"])}`;
    case "maximum":
      return `must be at most ${String(params["limit"])}`;
    case "minProperties":
      return `must have at least ${formatCount(params["limit"], "field")}`;
    default:
      return `is not valid (rule ${keyword})`;
  }
};

const describePattern = (pattern: string): string => {
  const prefix = /^\^\((\w+_)\)\?/.exec(pattern)?.[1];
  if (prefix !== undefined) return `must be an id like ${prefix}…`;
  const words = patternWords[pattern];
  return words === undefined ? `must match ${pattern}` : `must have only ${words}`;
};
