import type { Field, OperationCommand } from "../command-table.js";
import { missingInput, secretInArguments, usageError } from "../errors.js";
import { isObject, placeAt, valueAt } from "../value-at.js";
import { parseJson, parseValue } from "./parse-value.js";
import type { Sources } from "./sources.js";

/** What was typed, before it is read: texts and switches by flag. */
export interface Typed {
  /** Texts of the flags of fields, `true` and `false` of the switches. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  /** The body field that was given as an argument. */
  readonly argument?: { readonly field: Field; readonly text: string };
  readonly unset: readonly string[];
  readonly body?: string;
}

export interface Input {
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

/** Reads and checks everything that was typed; throws a usage error before anything is sent. */
export const readInput = async (
  command: OperationCommand,
  typed: Typed,
  sources: Sources,
): Promise<Input> => {
  const query: Record<string, unknown> = {};
  for (const field of command.query) {
    const value = await readFlag(field, typed, sources);
    if (value !== undefined) query[field.path[0] ?? field.flag] = value;
    else if (field.required) throw missing([field]);
  }
  return { query, body: await readBody(command, typed, sources) };
};

/** `--body` comes first, flags are laid over it. */
const readBody = async (
  command: OperationCommand,
  typed: Typed,
  sources: Sources,
): Promise<Record<string, unknown> | undefined> => {
  if (!command.body) return undefined;
  const { fields, required } = command.body;
  const body = typed.body === undefined ? {} : await readWholeBody(typed.body, fields, sources);
  for (const field of fields) {
    const value = await readFlag(field, typed, sources);
    if (value !== undefined) placeAt(body, field.path, value);
  }
  if (typed.argument) await placeArgument(body, typed, typed.argument, sources);
  for (const flag of typed.unset) {
    const field = fields.find((each) => each.flag === flag);
    if (flag in typed.flags) throw usageError(`--unset ${flag} and --${flag} contradict each other`);
    if (field) placeAt(body, field.path, null);
  }

  // A required value that can be no other need not be typed.
  for (const field of fields) {
    const [only, ...others] = field.enum ?? [];
    if (isMissing(body, field) && only !== undefined && others.length === 0) placeAt(body, field.path, only);
  }
  const absent = fields.filter((field) => isMissing(body, field));
  if (absent.length > 0) throw missing(absent);
  if (Object.keys(body).length > 0 || typed.body !== undefined) return body;
  if (required) {
    const flags = fields.filter(({ deprecated }) => !deprecated).map(flagOf);
    throw missingInput(
      "Nothing is given that the command could do",
      `Give at least one of ${flags.join(", ")}.`,
    );
  }
  return undefined;
};

const placeArgument = async (
  body: Record<string, unknown>,
  typed: Typed,
  { field, text }: NonNullable<Typed["argument"]>,
  sources: Sources,
): Promise<void> => {
  if (field.flag in typed.flags) {
    throw usageError(`The ${field.flag} is given twice: ${JSON.stringify(text)} and --${field.flag}`);
  }
  placeAt(body, field.path, await parseValue(field, text, `<${field.flag}>`, sources));
};

const readFlag = async (field: Field, { flags }: Typed, sources: Sources): Promise<unknown> => {
  const typed = flags[field.flag];
  if (typed === undefined || typeof typed === "boolean") return typed;
  const flag = flagOf(field);
  return field.secret ? sources.readSecret(typed, flag) : parseValue(field, typed, flag, sources);
};

const readWholeBody = async (
  text: string,
  fields: readonly Field[],
  sources: Sources,
): Promise<Record<string, unknown>> => {
  const body = await parseJson(text, "--body", sources);
  if (!isObject(body)) throw usageError("--body must be a JSON object");
  const inArguments = text !== "-" && !text.startsWith("@");
  for (const field of fields) {
    if (inArguments && field.secret && valueAt(body, field.path) !== undefined) {
      throw secretInArguments(
        `${field.path.join(".")} in --body`,
        `Use ${flagOf(field)} PATH, --body @file, or - for standard input.`,
      );
    }
  }
  return body;
};

export const flagOf = (field: Field): string => `--${field.flag}${field.secret ? "-file" : ""}`;

const missing = (fields: readonly Field[]): Error => {
  const flags = fields.map(flagOf).join(", ");
  const [field] = fields;
  const allowed = field?.enum && fields.length === 1 ? ` Allowed: ${field.enum.join(", ")}.` : "";
  return missingInput(
    `Missing ${flags}`,
    field?.help ? `${flagOf(field)}: ${field.help}${allowed}` : undefined,
  );
};

const isMissing = (body: object, { path, required }: Field): boolean => {
  if (!required || valueAt(body, path) !== undefined) return false;
  return required === "always" || isObject(valueAt(body, path.slice(0, -1)));
};
