import type { Field, GeneratedCommand } from "../contract/generated-command.js";
import { secretInArgumentsError, usageError } from "../errors/usage-errors.js";
import { isObject, setAtPath, getAtPath } from "../json/json-path.js";
import { parseJson, parseValue } from "./parse-value.js";
import type { InputSources } from "./sources.js";

/** The values of a command line before they are read and checked. */
export interface CommandLineValues {
  /** The strings of flags, and the booleans of switches. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  /** The body field that was passed as an argument. */
  readonly argument?: { readonly field: Field; readonly rawValue: string };
  readonly unset: readonly string[];
  readonly body?: string;
  /** Where the body comes from, for errors. Default: `--body`. */
  readonly bodySource?: string;
}

/** The query and the body that the flags of a command describe. `body` is undefined for an operation without one. */
export interface RequestInput {
  query: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
}

/** The input, and the required fields that are not in it. */
export interface InputWithMissing extends RequestInput {
  readonly missingFields: readonly Field[];
}

/** Reads and checks the values of a command line. Throws a usage error before anything is sent. */
export const readInput = async (
  command: GeneratedCommand,
  commandLineValues: CommandLineValues,
  sources: InputSources,
): Promise<InputWithMissing> => {
  const query: Record<string, unknown> = {};
  const missingQueryFields: Field[] = [];
  for (const field of command.query) {
    const value = await readFlag(field, commandLineValues, sources);
    if (value !== undefined) query[field.path[0] ?? field.flag] = value;
    else if (field.required) missingQueryFields.push(field);
  }
  const { body, missingFields } = await readBody(command, commandLineValues, sources);
  return { query, body, missingFields: [...missingQueryFields, ...missingFields] };
};

/** Starts with `--body`, and sets the values of flags on it. */
const readBody = async (
  command: GeneratedCommand,
  commandLineValues: CommandLineValues,
  sources: InputSources,
): Promise<Pick<InputWithMissing, "body" | "missingFields">> => {
  if (!command.body) return { body: undefined, missingFields: [] };
  const { fields, required } = command.body;
  const body =
    commandLineValues.body === undefined
      ? {}
      : await readWholeBody(command, commandLineValues.body, commandLineValues.bodySource, sources);
  for (const field of fields) {
    const value = await readFlag(field, commandLineValues, sources);
    if (value !== undefined) setAtPath(body, field.path, value);
  }
  if (commandLineValues.argument)
    await setArgument(body, commandLineValues, commandLineValues.argument, sources);
  for (const flag of commandLineValues.unset) {
    const field = fields.find((candidate) => candidate.flag === flag);
    if (flag in commandLineValues.flags)
      throw usageError(`--unset ${flag} and --${flag} cannot be used together`);
    if (field) setAtPath(body, field.path, null);
  }

  // A required field with only one allowed value does not have to be typed.
  for (const field of fields) {
    const [onlyValue, ...otherValues] = field.enum ?? [];
    if (isMissing(body, field) && onlyValue !== undefined && otherValues.length === 0)
      setAtPath(body, field.path, onlyValue);
  }
  const missingFields = fields.filter((field) => isMissing(body, field));
  const isSet = Object.keys(body).length > 0 || commandLineValues.body !== undefined;
  return { body: isSet || required ? body : undefined, missingFields };
};

const setArgument = async (
  body: Record<string, unknown>,
  commandLineValues: CommandLineValues,
  { field, rawValue }: NonNullable<CommandLineValues["argument"]>,
  sources: InputSources,
): Promise<void> => {
  if (field.flag in commandLineValues.flags) {
    throw usageError(`The ${field.flag} is set twice: by ${JSON.stringify(rawValue)} and by --${field.flag}`);
  }
  setAtPath(body, field.path, await parseValue(field, rawValue, `<${field.flag}>`, sources));
};

const readFlag = async (
  field: Field,
  { flags }: CommandLineValues,
  sources: InputSources,
): Promise<unknown> => {
  const flagValue = flags[field.flag];
  if (flagValue === undefined || typeof flagValue === "boolean") return flagValue;
  const flag = formatFlag(field);
  return field.secret ? sources.readSecret(flagValue, flag) : parseValue(field, flagValue, flag, sources);
};

const readWholeBody = async (
  command: GeneratedCommand,
  rawBody: string,
  bodySource = "--body",
  sources: InputSources,
): Promise<Record<string, unknown>> => {
  const body = await parseJson(rawBody, bodySource, sources);
  if (!isObject(body)) throw usageError(`${bodySource} must be a JSON object`);
  const isInArguments = rawBody !== "-" && !rawBody.startsWith("@");
  for (const field of command.body?.fields ?? []) {
    if (isInArguments && field.secret && getAtPath(body, field.path) !== undefined) {
      throw secretInArgumentsError(
        `${field.path.join(".")} in ${bodySource}`,
        `Pass ${formatFlag(field)} PATH, --body @file, or - for standard input.`,
      );
    }
  }
  const { assertBody } = await import("./assert-body.js");
  assertBody(command, body, bodySource);
  return body;
};

/** Returns the flag of a field as users type it: `--region`, or `--token-file` for a secret, which is read from a file. */
export const formatFlag = (field: Field): string => `--${field.flag}${field.secret ? "-file" : ""}`;

const isMissing = (body: object, { path, required }: Field): boolean => {
  if (!required || getAtPath(body, path) !== undefined) return false;
  return required === "always" || isObject(getAtPath(body, path.slice(0, -1)));
};
