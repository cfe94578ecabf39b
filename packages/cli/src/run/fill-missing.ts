import { capitalize } from "@mgmt/internal/text/capitalize";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { missingInputError } from "../errors/usage-errors.js";
import { ask, getNonInteractiveReason } from "../input/ask.js";
import { formatFlag, type RequestInput, type InputWithMissing } from "../input/read-input.js";
import { setAtPath, getAtPath } from "../json/json-path.js";
import { connect } from "../service/connect.js";
import { isResourceType, getResourceTypeByPrefix } from "../contract/resource-types.js";
import { chooseResource, type MutableIdsByType } from "./names/choose-resource.js";
import { stripBackticks } from "./field-options.js";
import type { Invocation } from "./invocation.js";
import type { Field, PathArgument } from "../contract/generated-command.js";
import { findDefaultName } from "./targets.js";
import { CliError } from "../errors/cli-error.js";
import { toPrintable } from "../output/printable.js";
import { promptForChoice } from "../input/prompt-for-choice.js";
import { parseValue } from "../input/parse-value.js";

/** The input of a command, with all ids and all required fields. */
interface CompleteRequest {
  readonly ids: readonly string[];
  readonly input: RequestInput;
}

/**
 * Asks for the ids and required fields that a command line lacks, with choices from the service.
 *
 * @throws `usage:missing` with the names of all of them if the command cannot prompt.
 */
export const fillMissing = async (
  invocation: Invocation,
  ids: readonly string[],
  partialInput: InputWithMissing,
  context: Context,
): Promise<CompleteRequest> => {
  const { command, flags } = invocation;
  const missingArguments = command.arguments.slice(ids.length);
  const fields = listMissingFields(invocation, partialInput);
  const body = partialInput.body ?? {};
  if (missingArguments.length + fields.length === 0) {
    if (invocation.commandLineValues.body !== undefined) return { ids, input: partialInput };
    throw noFieldSetError(command.body?.fields ?? []);
  }
  const reason = getNonInteractiveReason(context);
  if (reason !== undefined) throw missingValuesError(invocation, missingArguments, fields, reason);

  const { query } = partialInput;
  const knownIds = collectKnownIds(invocation, ids, { query, body });
  const getClient = memoizePromise(() => connect(flags, context));
  const completeIds = [...ids];
  for (const { label, resource } of missingArguments) {
    const id = await askForId(formatPromptTitle(label), resource, {
      getClient,
      knownIds,
      invocation,
      context,
    });
    if (isResourceType(resource)) knownIds[resource] = id;
    completeIds.push(id);
    context.answers.push({ value: id });
  }
  for (const field of fields) {
    const title = formatPromptTitle(field.flag);
    const resourceType = getResourceTypeByPrefix(field.prefix);
    const value =
      resourceType !== undefined
        ? await askForId(title, resourceType, { getClient, knownIds, invocation, context })
        : await askForField(field, title, context);
    if (resourceType !== undefined && typeof value === "string") knownIds[resourceType] = value;
    if (!field.secret && typeof value === "string") context.answers.push({ flag: formatFlag(field), value });
    if (command.query.includes(field)) query[field.path[0] ?? field.flag] = value;
    else setAtPath(body, field.path, value);
  }
  return { ids: completeIds, input: { query, body: command.body ? body : undefined } };
};

/**
 * Returns the required fields that have no value. For a body that needs at least one field of its choice, returns the field that can be
 * passed as an argument.
 */
const listMissingFields = (
  { command, override, commandLineValues }: Invocation,
  { missingFields, body }: InputWithMissing,
): readonly Field[] => {
  const needsField = command.body?.required && commandLineValues.body === undefined;
  if (missingFields.length > 0 || !needsField || Object.keys(body ?? {}).length > 0) return missingFields;
  return command.body?.fields.filter(({ path }) => path.join(".") === override.argument) ?? [];
};

const noFieldSetError = (fields: readonly Field[]): Error => {
  const flags = fields.filter(({ deprecated }) => !deprecated).map(formatFlag);
  return missingInputError(
    "No field is set",
    `Pass ${flags.length === 1 ? "" : "at least one of "}${flags.join(", ")}.`,
  );
};

const missingValuesError = (
  { command, override }: Invocation,
  missingArguments: readonly PathArgument[],
  fields: readonly Field[],
  reason: string,
): Error => {
  const isArgument = ({ path }: Field): boolean => path.join(".") === override.argument;
  const names = [
    ...missingArguments.map(({ label }) => `<${label}>`),
    ...fields.filter(isArgument).map(({ flag }) => `<${flag}>`),
    ...fields.filter((field) => !isArgument(field)).map(formatFlag),
  ];
  const [field] = fields;
  const onlyField = names.length === 1 ? field : undefined;
  const hints = [
    onlyField?.help ? `${formatFlag(onlyField)}: ${stripBackticks(onlyField.help)}` : "",
    onlyField?.enum ? `Allowed: ${onlyField.enum.join(", ")}.` : "",
    findDefaultName(command) === undefined
      ? ""
      : `mgmt link --${missingArguments[0]?.label ?? "project-id"} sets a default for this folder.`,
    `mgmt ${command.commandPath.join(" ")} --help shows the arguments and flags.`,
  ];
  return missingInputError(
    `Missing ${names.join(", ")}`,
    `The command did not ask, because ${reason}. ${hints.filter(Boolean).join(" ")}`,
  );
};

/** Returns the ids on the command line, by resource type. */
const collectKnownIds = (
  { command }: Invocation,
  ids: readonly string[],
  { query, body }: RequestInput,
): MutableIdsByType => {
  const knownIds: MutableIdsByType = {};
  for (const [index, { resource }] of command.arguments.entries()) {
    const id = ids[index];
    if (isResourceType(resource) && id !== undefined) knownIds[resource] = id;
  }
  for (const { path, prefix } of [...command.query, ...(command.body?.fields ?? [])]) {
    const resourceType = getResourceTypeByPrefix(prefix);
    const value = getAtPath(body, path) ?? getAtPath(query, path);
    if (resourceType !== undefined && typeof value === "string") knownIds[resourceType] = value;
  }
  return knownIds;
};

interface AskContext {
  readonly getClient: () => Promise<MgmtClient>;
  readonly knownIds: MutableIdsByType;
  readonly invocation: Invocation;
  readonly context: Context;
}

const askForId = async (
  title: string,
  resourceType: string | undefined,
  { getClient, knownIds, invocation, context }: AskContext,
): Promise<string> => {
  if (isResourceType(resourceType)) {
    return chooseResource(resourceType, title, {
      client: await getClient(),
      knownIds,
      flags: invocation.flags,
      context,
    });
  }
  const message = `${title}:`;
  const validate = (input: string): true | string => input.trim() !== "" || "Type an id.";
  return (await ask(context, ({ input }, terminal) => input({ message, validate }, terminal))).trim();
};

/** `source-database-id` becomes `Source database`. */
const formatPromptTitle = (flag: string): string => {
  const words = flag.replace(/-id$/, "").replaceAll("-", " ");
  return capitalize(words);
};

const memoizePromise = <T>(create: () => Promise<T>): (() => Promise<T>) => {
  let promise: Promise<T> | undefined;
  return () => (promise ??= create());
};

/** Asks for the value of a field: a secret without showing it, one of the allowed values, a yes or no, or a string. */
const askForField = async (field: Field, title: string, context: Context): Promise<unknown> => {
  const message = `${title}:`;
  const { sources } = context;
  if (field.secret) {
    const validate = (input: string): true | string => input.trim() !== "" || "It must not be empty.";
    return (await ask(context, ({ password }, terminal) => password({ message, validate }, terminal))).trim();
  }
  if (field.enum) {
    const choices = field.enum.map((value) => ({ value: String(value), parts: [String(value)] }));
    const chosenValue = await promptForChoice({ title, choices }, context);
    return field.enum.find((value) => String(value) === chosenValue);
  }
  if (field.type === "boolean") {
    return ask(context, ({ confirm }, terminal) => confirm({ message: `${title}?` }, terminal));
  }
  const parse = (input: string): Promise<unknown> => parseValue(field, input, formatFlag(field), sources);
  const validate = async (input: string): Promise<true | string> => {
    // A prompt reads standard input already.
    if (field.type === "json" && input === "-") return "Type JSON, or @file.";
    try {
      await parse(input);
      return true;
    } catch (error) {
      if (error instanceof CliError) return toPrintable(error.message);
      throw error;
    }
  };
  return parse(await ask(context, ({ input }, terminal) => input({ message, validate }, terminal)));
};
