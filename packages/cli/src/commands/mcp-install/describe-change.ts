import { isSecretField } from "@mgmt/internal/generated/field-names";
import { redactData } from "@mgmt/internal/redaction/redact";
import { secretMask } from "@mgmt/internal/redaction/secret-mask";
import { toPrintable } from "../../output/printable.js";
import type { Style } from "../../output/style.js";
import { isEntry, isSameValue, type ServerEntry, serverName, startsProgram } from "./config-entry.js";

/**
 * Returns lines that show how the entry of the server changes. They contain neither other parts of the file, which has secrets of other
 * servers, nor the secrets of the previous entry.
 *
 * @param before the entry that the file has for the server.
 * @param entry undefined if it is removed.
 */
export const describeChange = (
  path: string,
  before: unknown,
  entry: ServerEntry | undefined,
  { strong, good, bad }: Style,
): string[] => {
  const oldValues = isEntry(before) ? before : {};
  const isUpdate = entry !== undefined && startsProgram(oldValues);
  const newValues = entry ? { ...entry.required, ...(before === undefined && entry.initial) } : {};
  const removed = Object.entries(oldValues).filter(
    ([key, value]) => !isUpdate || (newValues[key] !== undefined && !isSameValue(value, newValues[key])),
  );
  const added = Object.entries(newValues).filter(
    ([key, value]) => !isUpdate || !isSameValue(oldValues[key], value),
  );
  return [
    strong(toPrintable(`${path}: ${serverName}`)),
    ...removed.map(([key, value]) => bad(toPrintable(`- ${key}: ${renderOldValue(key, value)}`))),
    ...added.map(([key, value]) => good(toPrintable(`+ ${key}: ${JSON.stringify(value)}`))),
  ];
};

/**
 * Returns the JSON of a value that is replaced, with its secrets masked. All values of variables and headers are masked, because their
 * names do not tell which are secrets.
 */
const renderOldValue = (key: string, value: unknown): string => {
  const hidden = isEntry(value)
    ? Object.fromEntries(Object.keys(value).map((name) => [name, secretMask]))
    : Array.isArray(value)
      ? maskFlagValues(value)
      : value;
  const names = { isSecretName: isSecretField, hasPairs: false };
  return JSON.stringify(Object.values(redactData({ [key]: hidden }, [], names) as object)[0]);
};

/** Masks each argument behind a flag such as `--api-key`, wherever it is in the command line. */
const maskFlagValues = (args: readonly unknown[]): unknown[] =>
  args.map((arg, index) => {
    const flag = args[index - 1];
    return typeof flag === "string" && flag.startsWith("-") && isSecretField(flag) ? secretMask : arg;
  });
