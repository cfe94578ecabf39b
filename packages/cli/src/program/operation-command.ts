import { Argument, Option } from "commander";
import type { Field, OperationCommand, PathArgument } from "../command-table.js";
import { usageError } from "../errors.js";
import { parseDuration } from "../input/duration.js";
import type { Typed } from "../input/read-input.js";
import { type CommandOverlay, overlayOf } from "../overlay.js";
import type { Context } from "../run/context.js";
import type { Invocation } from "../run/run-operation.js";
import type { MgmtCommand } from "./command.js";
import { asksFirst, operationExamples } from "./examples.js";
import { addFieldOption, typedValue } from "./field-options.js";
import { addGlobalOptions, globalFlags } from "./global-options.js";
import { addSections } from "./help.js";
import { defaultOf, targetsOf } from "./targets.js";

const defaultWait = "5m";

const aliases: Readonly<Record<string, string>> = { list: "ls", delete: "rm" };

/** Fills in a command from its row of the table and its overlay. */
export const defineOperation = (command: MgmtCommand, row: OperationCommand, context: Context): void => {
  command.row = row;
  const overlay = overlayOf(row.id);
  const argument = row.body?.fields.find(({ path }) => path.join(".") === overlay.argument);
  const manyIds = row.method === "DELETE";
  command.summary(row.deprecated ? `${row.summary} (deprecated)` : row.summary);
  command.description(describe(row));
  const alias = aliases[row.words.at(-1) ?? ""];
  if (alias !== undefined) command.alias(alias);
  addArguments(command, row, manyIds, argument);
  addOptions(command, row, overlay);
  addSections(command, { Examples: () => operationExamples(row, overlay) });

  command.action(async () => {
    const [{ runOperation }, { defaultTarget }] = await Promise.all([
      import("../run/run-operation.js"),
      import("../profiles/with-defaults.js"),
    ]);
    const own = command.opts<OwnFlags>();
    const flags = globalFlags(command);
    const typedIds = command.args.slice(0, manyIds ? undefined : row.arguments.length);
    const ids = typedIds.length > 0 ? typedIds : defaultTarget(row, flags, context.env);
    const invocation = {
      command: row,
      overlay,
      targets: targetsOf(row.arguments, ids),
      typed: typedOf(command, row, argument),
      flags,
      all: own.all ?? false,
      ...waitOf(own, row, overlay),
    };
    await runOperation(invocation, context);
  });
};

interface OwnFlags {
  all?: boolean;
  wait?: boolean;
  waitApproval?: boolean;
  timeout?: string;
  body?: string;
  unset?: string[];
}

const describe = ({ summary, description, deprecated }: OperationCommand): string => {
  const note = deprecated?.replacedBy.length
    ? `Deprecated: use mgmt ${deprecated.replacedBy.join(" ")}.`
    : "Deprecated.";
  return [summary, description, ...(deprecated ? [note] : [])].filter(Boolean).join("\n\n");
};

const addArguments = (
  command: MgmtCommand,
  row: OperationCommand,
  manyIds: boolean,
  argument: Field | undefined,
): void => {
  const byDefault = defaultOf(row);
  for (const [index, id] of row.arguments.entries()) {
    const many = manyIds && index === row.arguments.length - 1;
    const name = `${id.label}${many ? "..." : ""}`;
    if (byDefault === undefined) command.addArgument(new Argument(`<${name}>`, idHelp(id)));
    else command.addArgument(new Argument(`[${name}]`, `${idHelp(id)}; left out: the one in use`));
  }
  if (argument) command.addArgument(new Argument(`[${argument.flag}]`, `the same as --${argument.flag}`));
};

const idHelp = ({ help, prefix }: PathArgument): string =>
  prefix === undefined ? help : `${help} (${prefix}…)`;

const fieldsOf = ({ query, body }: OperationCommand): Field[] => [...query, ...(body?.fields ?? [])];

const addOptions = (command: MgmtCommand, row: OperationCommand, overlay: CommandOverlay): void => {
  const rank = (field: Field): number => (field.required === "always" ? 0 : field.deprecated ? 2 : 1);
  for (const field of fieldsOf(row).sort((a, b) => rank(a) - rank(b))) addFieldOption(command, field);
  const nullable = row.body?.fields.filter((field) => field.nullable).map(({ flag }) => flag) ?? [];
  if (nullable.length > 0) command.addOption(unsetOption(nullable));
  if (row.body) {
    const help = "the body as JSON, @file, or - for standard input; flags are laid over it";
    command.addOption(new Option("--body <json>", help));
  }
  if (row.paged) command.addOption(new Option("--all", "walk through all pages"));
  if (overlay.wait !== undefined) {
    command.addOption(new Option("--wait", "wait until the database is ready"));
  }
  if (row.approval) {
    const help = "as an agent: wait for the sponsor's approval, then go on";
    command.addOption(new Option("--wait-approval", help));
  }
  const waits = [
    ...(overlay.wait === undefined ? [] : [`--wait waits, such as 90s or 5m (default: ${defaultWait})`]),
    ...(row.approval ? ["--wait-approval waits (default: 20m)"] : []),
  ];
  if (waits.length > 0)
    command.addOption(new Option("--timeout <time>", `how long ${waits.join(", and how long ")}`));
  addGlobalOptions(command, { confirms: asksFirst(row, overlay) });
};

/** Every text is a good value for some field, so that null is said beside the fields' own flags. */
const unsetOption = (nullable: readonly string[]): Option => {
  const help = `set a field to null: ${nullable.join(", ")} (repeatable)`;
  return new Option("--unset <field>", help).argParser((flag: string, before: string[] = []): string[] => {
    if (nullable.includes(flag)) return [...before, flag];
    throw usageError(`--unset cannot be ${JSON.stringify(flag)}`, `Allowed: ${nullable.join(", ")}.`);
  });
};

const typedOf = (command: MgmtCommand, row: OperationCommand, argument: Field | undefined): Typed => {
  const flags: Record<string, string | boolean> = {};
  for (const field of fieldsOf(row)) {
    const value = typedValue(command, field);
    if (value !== undefined) flags[field.flag] = value;
  }
  const { body, unset = [] } = command.opts<OwnFlags>();
  const text = argument && command.args[row.arguments.length];
  return {
    flags,
    unset,
    ...(body !== undefined && { body }),
    ...(argument && text !== undefined && { argument: { field: argument, text } }),
  };
};

const waitOf = (
  { wait, waitApproval, timeout }: OwnFlags,
  { approval }: OperationCommand,
  overlay: CommandOverlay,
): Pick<Invocation, "waitMs" | "waitApproval"> => {
  if (timeout !== undefined && !wait && !waitApproval) {
    const waits = [
      ...(overlay.wait === undefined ? [] : ["--wait"]),
      ...(approval ? ["--wait-approval"] : []),
    ];
    throw usageError(`--timeout goes with ${waits.join(" or ")}`);
  }
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
  return {
    ...(wait && { waitMs: timeoutMs ?? parseDuration(defaultWait, "--timeout") }),
    ...(waitApproval && { waitApproval: timeoutMs === undefined ? {} : { timeoutMs } }),
  };
};
