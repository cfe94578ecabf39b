import type { Field, OperationCommand } from "../command-table.js";
import type { CommandOverlay } from "../overlay.js";
import { placeAt, valueAt } from "../value-at.js";

const sampleId = "8s2d4f6g1h3j5k7l9q0w2e4r";

/** Command lines that work: those of the overlay, and the contract's example bodies written as flags. */
export const operationExamples = (row: OperationCommand, overlay: CommandOverlay): string[] => {
  const { words, arguments: ids, body, query } = row;
  const start = ["mgmt", ...words, ...ids.map(({ prefix = "" }) => `${prefix}${sampleId}`)];
  const needed = query.filter(({ required }) => required).flatMap((field) => flagWords(field, sample(field)));
  const bodies = body ? (body.examples.length > 0 ? body.examples : [sampleBody(body.fields)]) : [undefined];
  const end = asksFirst(row, overlay) ? ["--yes"] : [];
  const written = bodies.map((example) =>
    [...start, ...needed, ...bodyWords(row, overlay, example), ...end].join(" "),
  );
  const own = (overlay.examples ?? []).map((example) => `mgmt ${example}`);
  const paged = row.paged ? [`${[...start, ...needed].join(" ")} --all --output json`] : [];
  return [...new Set([...own, ...written, ...paged])];
};

/** It cannot be undone. */
export const asksFirst = ({ method }: OperationCommand, { confirm }: CommandOverlay): boolean =>
  method === "DELETE" || confirm !== undefined;

const bodyWords = ({ body }: OperationCommand, { argument }: CommandOverlay, example: unknown): string[] => {
  const first: string[] = [];
  const flags: string[] = [];
  for (const field of body?.fields ?? []) {
    const value = valueAt(example, field.path);
    if (value === undefined) continue;
    if (field.path.join(".") === argument && typeof value === "string") first.push(shellWord(value));
    else flags.push(...flagWords(field, value));
  }
  return [...first, ...flags];
};

const flagWords = (field: Field, value: unknown): string[] => {
  if (field.secret) return [`--${field.flag}-file`, "secret.txt"];
  if (value === null) return ["--unset", field.flag];
  if (typeof value === "boolean") return [`--${value ? "" : "no-"}${field.flag}`];
  return [`--${field.flag}`, shellWord(typeof value === "string" ? value : JSON.stringify(value))];
};

const sampleBody = (fields: readonly Field[]): Record<string, unknown> => {
  const needed = fields.filter(({ required }) => required === "always");
  const body = {};
  for (const field of needed) placeAt(body, field.path, sample(field));
  return body;
};

const sample = ({ prefix, enum: allowed }: Field): unknown => {
  if (prefix !== undefined) return `${prefix}${sampleId}`;
  return allowed?.[0] ?? "shop";
};

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
