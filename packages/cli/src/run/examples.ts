import { setAt, valueAt } from "../json/json-path.js";
import { exampleId } from "./program/help-sections.js";
import { shellWord } from "../text/shell-word.js";
import type { CommandOverlay } from "../contract/overlay.js";
import type { Field, OperationCommand } from "../contract/row.js";

/** Returns valid command lines: those of the overlay, and the contract's example bodies written as flags. */
export const operationExamples = (row: OperationCommand, overlay: CommandOverlay): string[] => {
  const { words, arguments: ids, body, query } = row;
  const start = ["mgmt", ...words, ...ids.map(({ prefix }) => exampleId(prefix))];
  const needed = query
    .filter(({ required }) => required)
    .flatMap((field) => flagWords(field, exampleValue(field)));
  const bodies = body ? (body.examples.length > 0 ? body.examples : [exampleBody(body.fields)]) : [undefined];
  const end = needsConfirmation(row, overlay) ? ["--yes"] : [];
  const fromContract = bodies.map((example) =>
    [...start, ...needed, ...bodyWords(row, overlay, example), ...end].map(shellWord).join(" "),
  );
  const fromOverlay = (overlay.examples ?? [])
    .map((example) => `mgmt ${withIds(example, row)}`)
    // An `ensure` has the overlay of its `create`.
    .filter((example) => example.startsWith(`mgmt ${words.join(" ")} `));
  const paged = row.paged ? [`${[...start, ...needed].map(shellWord).join(" ")} --all --output json`] : [];
  return [...new Set([...fromOverlay, ...fromContract, ...paged])];
};

/** Whether the command asks before it runs, because it cannot be undone. */
export const needsConfirmation = ({ method }: OperationCommand, { confirm }: CommandOverlay): boolean =>
  method === "DELETE" || confirm !== undefined;

const withIds = (example: string, { arguments: ids }: OperationCommand): string =>
  example.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    exampleId(ids.find(({ name }) => name === parameter)?.prefix),
  );

/** Returns the words of a command line that set the fields of a body. */
export const bodyWords = (
  { body }: OperationCommand,
  { argument }: CommandOverlay,
  example: unknown,
): string[] => {
  const first: string[] = [];
  const flags: string[] = [];
  for (const field of body?.fields ?? []) {
    const value = valueAt(example, field.path);
    if (value === undefined) continue;
    if (field.path.join(".") === argument && typeof value === "string") first.push(value);
    else flags.push(...flagWords(field, value));
  }
  return [...first, ...flags];
};

/** Returns the words of a command line that set one field. */
export const flagWords = (field: Field, value: unknown): string[] => {
  if (field.secret) return [`--${field.flag}-file`, "token.txt"];
  if (value === null) return ["--unset", field.flag];
  if (typeof value === "boolean") return [`--${value ? "" : "no-"}${field.flag}`];
  return [`--${field.flag}`, typeof value === "string" ? value : JSON.stringify(value)];
};

const exampleBody = (fields: readonly Field[]): Record<string, unknown> => {
  const needed = fields.filter(({ required }) => required === "always");
  const body = {};
  for (const field of needed) setAt(body, field.path, exampleValue(field));
  return body;
};

const exampleValue = ({ prefix, enum: allowed }: Field): unknown => {
  if (prefix !== undefined) return exampleId(prefix);
  return allowed?.[0] ?? "shop";
};
