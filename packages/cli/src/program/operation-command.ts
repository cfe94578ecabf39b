import { Argument, type Command, Option } from "commander";
import type { Field, OperationCommand, PathArgument } from "../command-table.js";
import { usageError } from "../errors.js";
import { parseDuration } from "../input/duration.js";
import type { Typed } from "../input/read-input.js";
import { type CommandOverlay, overlayOf } from "../overlay.js";
import type { Context } from "../run/context.js";
import { asksFirst, operationExamples } from "./examples.js";
import { addGlobalOptions, globalFlags, refusedSecret } from "./global-options.js";
import { addSections } from "./help.js";

const defaultWait = "5m";

/** Fills in a command from its row of the table and its overlay. */
export const defineOperation = (command: Command, row: OperationCommand, context: Context): void => {
  const overlay = overlayOf(row.id);
  const argument = argumentField(row, overlay);
  const manyIds = row.method === "DELETE" && row.arguments.length > 0;
  command.summary(row.deprecated ? `${row.summary} (deprecated)` : row.summary);
  command.description(describe(row));
  for (const alias of overlay.aliases ?? defaultAliases[row.words.at(-1) ?? ""] ?? []) command.alias(alias);
  for (const [index, id] of row.arguments.entries()) {
    const variadic = manyIds && index === row.arguments.length - 1;
    command.addArgument(new Argument(`<${id.label}${variadic ? "..." : ""}>`, idHelp(id)));
  }
  if (argument) command.addArgument(new Argument(`[${argument.flag}]`, `the same as --${argument.flag}`));

  const fields = [...row.query, ...(row.body?.fields ?? [])];
  const last = (field: Field): number => (field.required === "always" ? 0 : field.deprecated ? 2 : 1);
  for (const field of [...fields].sort((a, b) => last(a) - last(b))) addField(command, field);
  const nullable = row.body?.fields.filter(({ nullable }) => nullable).map(({ flag }) => flag) ?? [];
  if (nullable.length > 0) {
    const help = `set a field to null: ${nullable.join(", ")} (repeatable)`;
    const collect = (flag: string, before: string[] = []): string[] => [
      ...before,
      checkUnset(flag, nullable),
    ];
    command.addOption(new Option("--unset <field>", help).argParser(collect));
  }
  if (row.body) {
    const help = "the body as JSON, @file, or - for standard input; flags are laid over it";
    command.addOption(new Option("--body <json>", help));
  }
  if (row.paged) command.addOption(new Option("--all", "walk through all pages"));
  if (overlay.wait !== undefined) {
    command.addOption(new Option("--wait", "wait until the database is ready"));
    command.addOption(
      new Option("--timeout <time>", `how long --wait waits, such as 90s or 5m (default: ${defaultWait})`),
    );
  }
  addGlobalOptions(command, { confirms: asksFirst(row, overlay) });
  addSections(command, { Examples: () => operationExamples(row, overlay) });

  command.action(async () => {
    const { runOperation } = await import("../run/run-operation.js");
    const ids = command.args.slice(0, manyIds ? undefined : row.arguments.length);
    const text = argument && command.args[row.arguments.length];
    const own = command.opts<OwnFlags>();
    await runOperation(
      {
        command: row,
        overlay,
        targets: targetsOf(row.arguments, ids),
        typed: typedOf(command, fields, argument, text),
        flags: globalFlags(command),
        all: own.all ?? false,
        ...waitOf(own),
      },
      context,
    );
  });
};

interface OwnFlags {
  all?: boolean;
  wait?: boolean;
  timeout?: string;
  body?: string;
  unset?: string[];
}

const defaultAliases: Readonly<Record<string, readonly string[]>> = {
  list: ["ls"],
  delete: ["rm"],
  get: ["show"],
};

const describe = ({ summary, description, deprecated }: OperationCommand): string => {
  const note = deprecated?.replacedBy.length
    ? `Deprecated: use mgmt ${deprecated.replacedBy.join(" ")}.`
    : "Deprecated.";
  return [summary, description, ...(deprecated ? [note] : [])].filter(Boolean).join("\n\n");
};

const idHelp = ({ help, prefix }: PathArgument): string =>
  prefix === undefined ? help : `${help} (${prefix}…)`;

const argumentField = ({ body }: OperationCommand, { argument }: CommandOverlay): Field | undefined =>
  argument === undefined ? undefined : body?.fields.find(({ path }) => path.join(".") === argument);

const addField = (command: Command, field: Field): void => {
  if (field.secret) {
    command.addOption(
      new Option(`--${field.flag}-file <path>`, `${field.help} A file, - for standard input.`),
    );
    command.addOption(refusedSecret(field.flag, `Pass --${field.flag}-file PATH (- for standard input).`));
    return;
  }
  const help = fieldHelp(field);
  if (field.type === "boolean") {
    command.addOption(new Option(`--${field.flag}`, help));
    command.addOption(new Option(`--no-${field.flag}`, "the opposite").hideHelp(field.default !== true));
    return;
  }
  command.addOption(new Option(`--${field.flag} <${placeholder(field)}>`, help));
};

const placeholder = (field: Field): string => {
  if (field.type === "json") return "json";
  if (field.type !== "string") return "number";
  if (field.prefix !== undefined) return "id";
  return field.enum ? "value" : field.format === "date-time" ? "time" : "text";
};

const fieldHelp = (field: Field): string => {
  const facts = [
    field.required === "always" ? "required" : "",
    field.deprecated ? "deprecated" : "",
    field.enum ? `one of: ${field.enum.join(", ")}` : "",
    bounds(field),
    field.default === undefined ? "" : `default: ${JSON.stringify(field.default).replaceAll('"', "")}`,
  ].filter(Boolean);
  return `${field.help}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`.trim();
};

const bounds = ({ minimum, maximum, maxLength, prefix }: Field): string => {
  if (prefix !== undefined) return "";
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return maxLength === undefined ? "" : `at most ${maxLength} characters`;
};

const checkUnset = (flag: string, nullable: readonly string[]): string => {
  if (nullable.includes(flag)) return flag;
  throw usageError(`--unset cannot be ${JSON.stringify(flag)}`, `Allowed: ${nullable.join(", ")}.`);
};

const typedOf = (
  command: Command,
  fields: readonly Field[],
  argument: Field | undefined,
  text: string | undefined,
): Typed => {
  const flags: Record<string, string | boolean> = {};
  for (const field of fields) {
    const name = new Option(`--${field.flag}${field.secret ? "-file" : ""} <value>`).attributeName();
    const value: unknown = command.getOptionValue(name);
    if (typeof value === "string" || typeof value === "boolean") flags[field.flag] = value;
  }
  const { body, unset = [] } = command.opts<OwnFlags>();
  return {
    flags,
    unset,
    ...(body !== undefined && { body }),
    ...(argument && text !== undefined && { argument: { field: argument, text } }),
  };
};

/** One set of path parameters for each id that the last argument was given. */
const targetsOf = (parameters: readonly PathArgument[], ids: readonly string[]): Record<string, string>[] => {
  for (const [index, id] of ids.entries()) {
    const label = parameters[Math.min(index, parameters.length - 1)]?.label ?? "id";
    if (/^\s*\.{0,2}\s*$/.test(id))
      throw usageError(`<${label}> cannot be ${JSON.stringify(id)}`, "It must be an id.");
  }
  const fixed = Math.max(0, parameters.length - 1);
  const last = [...new Set(ids.slice(fixed))];
  const names = parameters.map(({ name }) => name);
  const set = (values: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
  return last.length > 0 ? last.map((id) => set([...ids.slice(0, fixed), id])) : [set([])];
};

const waitOf = ({ wait, timeout }: OwnFlags): { waitMs?: number } => {
  if (timeout !== undefined && !wait) throw usageError("--timeout goes with --wait");
  return wait ? { waitMs: parseDuration(timeout ?? defaultWait, "--timeout") } : {};
};
