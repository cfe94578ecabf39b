import type { Field, CommandDefinition } from "../contract/command-definition.js";
import { secretInArguments, usageError } from "../errors/usage-errors.js";
import { isObject, setAt, valueAt } from "../json/json-path.js";
import { parseJson, parseValue } from "./parse-value.js";
import type { Sources } from "./sources.js";

/** The values of a command line as the user typed them. */
export interface TypedValues {
  /** The strings of flags, and the booleans of switches. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  /** The body field that was passed as an argument. */
  readonly argument?: { readonly field: Field; readonly text: string };
  readonly unset: readonly string[];
  readonly body?: string;
  /** Where the body comes from, for errors. Default: `--body`. */
  readonly bodySource?: string;
}

export interface Input {
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

/** The input, and the required fields that are not in it. */
export interface ReadInput extends Input {
  readonly missing: readonly Field[];
}

/** Reads and checks the typed values. Throws a usage error before anything is sent. */
export const readInput = async (
  command: CommandDefinition,
  typed: TypedValues,
  sources: Sources,
): Promise<ReadInput> => {
  const query: Record<string, unknown> = {};
  const absent: Field[] = [];
  for (const field of command.query) {
    const value = await readFlag(field, typed, sources);
    if (value !== undefined) query[field.path[0] ?? field.flag] = value;
    else if (field.required) absent.push(field);
  }
  const { body, missing } = await readBody(command, typed, sources);
  return { query, body, missing: [...absent, ...missing] };
};

/** Starts with `--body`, and sets the values of flags on it. */
const readBody = async (
  command: CommandDefinition,
  typed: TypedValues,
  sources: Sources,
): Promise<Pick<ReadInput, "body" | "missing">> => {
  if (!command.body) return { body: undefined, missing: [] };
  const { fields, required } = command.body;
  const body =
    typed.body === undefined ? {} : await readWholeBody(command, typed.body, typed.bodySource, sources);
  for (const field of fields) {
    const value = await readFlag(field, typed, sources);
    if (value !== undefined) setAt(body, field.path, value);
  }
  if (typed.argument) await setArgument(body, typed, typed.argument, sources);
  for (const flag of typed.unset) {
    const field = fields.find((candidate) => candidate.flag === flag);
    if (flag in typed.flags) throw usageError(`--unset ${flag} and --${flag} cannot be used together`);
    if (field) setAt(body, field.path, null);
  }

  // A required field with only one allowed value does not have to be typed.
  for (const field of fields) {
    const [only, ...others] = field.enum ?? [];
    if (isMissing(body, field) && only !== undefined && others.length === 0) setAt(body, field.path, only);
  }
  const missing = fields.filter((field) => isMissing(body, field));
  const isSet = Object.keys(body).length > 0 || typed.body !== undefined;
  return { body: isSet || required ? body : undefined, missing };
};

const setArgument = async (
  body: Record<string, unknown>,
  typed: TypedValues,
  { field, text }: NonNullable<TypedValues["argument"]>,
  sources: Sources,
): Promise<void> => {
  if (field.flag in typed.flags) {
    throw usageError(`The ${field.flag} is set twice: by ${JSON.stringify(text)} and by --${field.flag}`);
  }
  setAt(body, field.path, await parseValue(field, text, `<${field.flag}>`, sources));
};

const readFlag = async (field: Field, { flags }: TypedValues, sources: Sources): Promise<unknown> => {
  const typed = flags[field.flag];
  if (typed === undefined || typeof typed === "boolean") return typed;
  const flag = flagOf(field);
  return field.secret ? sources.readSecret(typed, flag) : parseValue(field, typed, flag, sources);
};

const readWholeBody = async (
  command: CommandDefinition,
  text: string,
  what = "--body",
  sources: Sources,
): Promise<Record<string, unknown>> => {
  const body = await parseJson(text, what, sources);
  if (!isObject(body)) throw usageError(`${what} must be a JSON object`);
  const inArguments = text !== "-" && !text.startsWith("@");
  for (const field of command.body?.fields ?? []) {
    if (inArguments && field.secret && valueAt(body, field.path) !== undefined) {
      throw secretInArguments(
        `${field.path.join(".")} in ${what}`,
        `Pass ${flagOf(field)} PATH, --body @file, or - for standard input.`,
      );
    }
  }
  const { assertBody } = await import("./assert-body.js");
  assertBody(command, body, what);
  return body;
};

export const flagOf = (field: Field): string => `--${field.flag}${field.secret ? "-file" : ""}`;

const isMissing = (body: object, { path, required }: Field): boolean => {
  if (!required || valueAt(body, path) !== undefined) return false;
  return required === "always" || isObject(valueAt(body, path.slice(0, -1)));
};
