import { isRealDay } from "@mgmt/internal/text/real-day";
import type { Field } from "../contract/generated-command.js";
import { isNestedTooDeep, maxLevels } from "../json/nesting.js";
import { invalidValueError } from "../errors/usage-errors.js";
import { formatSuggestion } from "../text/suggest.js";
import type { InputSources } from "./sources.js";
import { stripByteOrderMark } from "../text/byte-order-mark.js";

/** Parses the text of a flag and checks it against the contract. Must not be called with a secret: errors quote the text. */
export const parseValue = async (
  field: Field,
  rawValue: string,
  label: string,
  sources: InputSources,
): Promise<unknown> => {
  if (field.type === "json") return parseJson(rawValue, label, sources);
  if (field.type === "integer" || field.type === "number") {
    const value = parseNumber(field, rawValue, label);
    assertEnumValue(field, value, label);
    return value;
  }
  assertEnumValue(field, rawValue, label);
  assertTextAllowed(field, rawValue, label);
  return rawValue;
};

/** Parses `JSON`, or the JSON in `@file` or standard input (`-`). */
export const parseJson = async (rawValue: string, label: string, sources: InputSources): Promise<unknown> => {
  const path = rawValue === "-" ? "-" : rawValue.startsWith("@") ? rawValue.slice(1) : undefined;
  const json = path === undefined ? rawValue : await sources.read(path, label);
  let value: unknown;
  try {
    value = JSON.parse(stripByteOrderMark(json));
  } catch {
    // The parser's own message quotes the text, which may contain a secret.
    const source = path === undefined ? "the text" : path === "-" ? "standard input" : path;
    throw invalidValueError(label, `is not JSON (${source})`, "Pass JSON, @file, or - for standard input.");
  }
  if (isNestedTooDeep(value)) {
    throw invalidValueError(
      label,
      `is nested more than ${String(maxLevels)} levels deep`,
      "Nothing was sent.",
    );
  }
  return value;
};

const parseNumber = (field: Field, rawValue: string, label: string): number => {
  const isInteger = field.type === "integer";
  const value = (isInteger ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i).test(rawValue)
    ? Number(rawValue)
    : NaN;
  if (!Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value))) {
    throw invalidValueError(
      label,
      `must be ${isInteger ? "a whole number" : "a number"}${describeRange(field)}, not ${quoteText(rawValue)}`,
    );
  }
  const { minimum = -Infinity, maximum = Infinity } = field;
  if (value < minimum || value > maximum) {
    const nearestValue = Math.min(Math.max(value, minimum), maximum);
    throw invalidValueError(
      label,
      `must be a number${describeRange(field)}, not ${rawValue}`,
      `For example: ${label} ${nearestValue}`,
    );
  }
  return value;
};

const describeRange = ({ minimum, maximum }: Field): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
};

const assertEnumValue = (field: Field, value: string | number, label: string): void => {
  if (field.enum === undefined || field.enum.includes(value)) return;
  const hint = `${formatSuggestion(String(value), field.enum.map(String))}Allowed: ${field.enum.join(", ")}.`;
  throw invalidValueError(label, `cannot be ${quoteText(String(value))}`, hint);
};

const assertTextAllowed = (field: Field, rawValue: string, label: string): void => {
  // JSON Schema counts characters, not UTF-16 code units.
  const length = [...rawValue].length;
  // A name can be longer than the id that replaces it.
  const {
    minLength = 0,
    maxLength = Infinity,
    pattern,
    patternWords,
    format,
  } = field.prefix === undefined ? field : {};
  const unsetHint = field.nullable ? `Use --unset ${field.flag} to set it to null.` : undefined;
  // The help text mentions null, so users try it.
  if (unsetHint !== undefined && rawValue === "null")
    throw invalidValueError(label, "would be set to the text null", unsetHint);
  if (length < minLength) {
    throw invalidValueError(
      label,
      length === 0 ? "must not be empty" : `must have at least ${minLength} characters`,
      unsetHint,
    );
  }
  if (length > maxLength) {
    throw invalidValueError(label, `must have at most ${maxLength} characters, not ${length}`);
  }
  if (pattern !== undefined && !new RegExp(pattern, "u").test(rawValue)) {
    throw invalidValueError(
      label,
      `cannot be ${quoteText(rawValue)}`,
      unsetHint ?? (patternWords === undefined ? `It must match ${pattern}.` : `Allowed: ${patternWords}.`),
    );
  }
  if (format === "date-time" && !isDateTime(rawValue)) {
    throw invalidValueError(
      label,
      `must be a date and time, not ${quoteText(rawValue)}`,
      "Use a time such as 2026-11-01T00:00:00Z.",
    );
  }
};

const isDateTime = (rawValue: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T(?!24)\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(rawValue) &&
  !Number.isNaN(Date.parse(rawValue)) &&
  isRealDay(rawValue.slice(0, 10));

const quoteText = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
