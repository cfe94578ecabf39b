import { setAtPath, getAtPath } from "../json/json-path.js";
import { buildExampleId } from "../command-line/example-id.js";
import { quoteShellWord } from "../text/shell-word.js";
import type { CommandOverride } from "../contract/command-override.js";
import type { Field, GeneratedCommand } from "../contract/generated-command.js";

/** Returns valid command lines: the examples of the override, and the contract's example bodies written as flags. */
export const buildExamples = (definition: GeneratedCommand, override: CommandOverride): string[] => {
  const { commandPath, arguments: pathArguments, body, query } = definition;
  const commandStart = ["mgmt", ...commandPath, ...pathArguments.map(({ prefix }) => buildExampleId(prefix))];
  const requiredFlags = query
    .filter(({ required }) => required)
    .flatMap((field) => formatFieldFlag(field, chooseExampleValue(field)));
  const exampleBodies = body
    ? body.examples.length > 0
      ? body.examples
      : [buildExampleBody(body.fields)]
    : [undefined];
  const confirmFlags = needsConfirmation(definition, override) ? ["--yes"] : [];
  const contractExamples = exampleBodies.map((example) =>
    [...commandStart, ...requiredFlags, ...formatBodyFlags(definition, override, example), ...confirmFlags]
      .map(quoteShellWord)
      .join(" "),
  );
  const overrideExamples = (override.examples ?? [])
    .map((example) => `mgmt ${fillIds(example, definition)}`)
    // An `ensure` has the override of its `create`.
    .filter((example) => example.startsWith(`mgmt ${commandPath.join(" ")} `));
  const pagedExamples = definition.paged
    ? [`${[...commandStart, ...requiredFlags].map(quoteShellWord).join(" ")} --all --output json`]
    : [];
  return [...new Set([...overrideExamples, ...contractExamples, ...pagedExamples])];
};

/** Returns whether the command asks for confirmation, because it is irreversible. */
export const needsConfirmation = ({ method }: GeneratedCommand, { confirm }: CommandOverride): boolean =>
  method === "DELETE" || confirm !== undefined;

const fillIds = (example: string, { arguments: pathArguments }: GeneratedCommand): string =>
  example.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    buildExampleId(pathArguments.find(({ name }) => name === parameter)?.prefix),
  );

/** Returns the command-line arguments that set the fields of a body. */
export const formatBodyFlags = (
  { body }: GeneratedCommand,
  { argument }: CommandOverride,
  example: unknown,
): string[] => {
  const positionals: string[] = [];
  const flags: string[] = [];
  for (const field of body?.fields ?? []) {
    const value = getAtPath(example, field.path);
    if (value === undefined) continue;
    if (field.path.join(".") === argument && typeof value === "string") positionals.push(value);
    else flags.push(...formatFieldFlag(field, value));
  }
  return [...positionals, ...flags];
};

/** Returns the command-line arguments that set one field. */
export const formatFieldFlag = (field: Field, value: unknown): string[] => {
  if (field.secret) return [`--${field.flag}-file`, "token.txt"];
  if (value === null) return ["--unset", field.flag];
  if (typeof value === "boolean") return [`--${value ? "" : "no-"}${field.flag}`];
  return [`--${field.flag}`, typeof value === "string" ? value : JSON.stringify(value)];
};

const buildExampleBody = (fields: readonly Field[]): Record<string, unknown> => {
  const requiredFields = fields.filter(({ required }) => required === "always");
  const body = {};
  for (const field of requiredFields) setAtPath(body, field.path, chooseExampleValue(field));
  return body;
};

const chooseExampleValue = ({ prefix, enum: allowedValues }: Field): unknown => {
  if (prefix !== undefined) return buildExampleId(prefix);
  return allowedValues?.[0] ?? "shop";
};
