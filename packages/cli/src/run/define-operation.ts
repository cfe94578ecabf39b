import { Argument, Option } from "commander";
import type { Context } from "../input/context.js";
import { usageError } from "../errors/usage-errors.js";
import { defaultWait, parseDuration } from "../input/duration.js";
import type { TypedValues } from "../input/read-input.js";
import type { MgmtCommand } from "./program/command.js";
import { addDryRunOption, dryRunFormat } from "../input/dry-run-option.js";
import { addGlobalOptions, globalFlags } from "./program/global-options.js";
import { addSections } from "./program/help-sections.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import { addSecretOptions } from "../secrets/secret-options.js";
import { ensureRow } from "./ensure-row.js";
import { needsConfirmation, operationExamples } from "./examples.js";
import { addFieldOption, plainText, typedValue } from "./field-options.js";
import { type CommandOverlay, overlayOf } from "../contract/overlay.js";
import type { Field, OperationCommand, PathArgument } from "../contract/row.js";
import { projectFilterOf } from "./defaults.js";
import type { Invocation } from "./invocation.js";
import { defaultOf } from "./targets.js";

/** Adds the command of an operation. Its arguments and options are defined when it is called. */
export const defineOperation = (command: MgmtCommand, row: OperationCommand, context: Context): void => {
  command.row = row;
  command.summary(row.deprecated ? `${row.summary} (deprecated)` : row.summary);
  command.onDefine = () => defineCall(command, row, context);
};

/** Defines the rest of a command from its row of the table and its overlay. */
const defineCall = (command: MgmtCommand, row: OperationCommand, context: Context): void => {
  const overlay = overlayOf(row.id);
  const argument = row.body?.fields.find(({ path }) => path.join(".") === overlay.argument);
  const manyIds = row.method === "DELETE";
  command.description(descriptionOf(row, overlay));
  addArguments(command, row, manyIds, argument);
  addOptions(command, row, overlay);
  addSections(command, { Examples: () => operationExamples(row, overlay) });

  command.action(async () => {
    const { runOperation } = await import("./run.js");
    const own = command.opts<OwnFlags>();
    const invocation = {
      command: calledRow(command, row),
      overlay,
      ids: command.args.slice(0, manyIds ? undefined : row.arguments.length),
      typed: typedOf(command, row, argument),
      flags: globalFlags(command),
      all: own.all ?? false,
      allProjects: own.allProjects ?? false,
      dryRun: dryRunFormat(command),
      ensures: own.ifNotExists ?? row.words.at(-1) === "ensure",
      secretFlags: own,
      ...waitOf(own, row, overlay),
    };
    if (own.ndjson !== undefined) {
      const { runBulkCreate } = await import("./run-bulk-create.js");
      return runBulkCreate(invocation, own.ndjson, context);
    }
    if (!manyIds || invocation.ids.at(-1) !== "-") return runOperation(invocation, context);
    const { readIds } = await import("./bulk-input.js");
    const ids = await readIds(context.sources);
    if (ids.length === 0) {
      context.output.notice({ code: "input:empty", message: "No ids were read from standard input." });
      return context.output.itemResults([]);
    }
    await runOperation({ ...invocation, ids: [...invocation.ids.slice(0, -1), ...ids] }, context);
  });
};

/** Returns the row that the flags select. */
const calledRow = (command: MgmtCommand, row: OperationCommand): OperationCommand => {
  const { ifNotExists } = command.opts<OwnFlags>();
  const called = ifNotExists && row.ensure ? ensureRow(row, row.ensure) : row;
  const { credentials, ...without } = called;
  return credentials && command.getOptionValue(credentials.property) === false ? without : called;
};

interface OwnFlags extends SecretFlags {
  all?: boolean;
  allProjects?: boolean;
  ifNotExists?: boolean;
  wait?: boolean;
  waitApproval?: boolean;
  timeout?: string;
  body?: string;
  ndjson?: string;
  unset?: string[];
}

const descriptionOf = (
  { summary, description, deprecated }: OperationCommand,
  { sameAs }: CommandOverlay,
): string => {
  const note = deprecated?.replacedBy.length
    ? `Deprecated: use mgmt ${deprecated.replacedBy.join(" ")}.`
    : "Deprecated.";
  const texts = [`${summary}.`, plainText(description)];
  if (deprecated) texts.push(note);
  if (sameAs !== undefined) texts.push(`The same as mgmt ${sameAs}.`);
  return texts.filter(Boolean).join("\n\n");
};

const addArguments = (
  command: MgmtCommand,
  row: OperationCommand,
  manyIds: boolean,
  argument: Field | undefined,
): void => {
  const hasDefault = defaultOf(row) !== undefined;
  for (const [index, id] of row.arguments.entries()) {
    const many = manyIds && index === row.arguments.length - 1;
    const name = `${id.label}${many ? "..." : ""}`;
    if (hasDefault) command.addArgument(new Argument(`[${name}]`, `${idHelp(id)} ${defaultHelp}`));
    else {
      const fromInput = many ? " - reads one id per line from standard input." : "";
      command.addArgument(new Argument(`<${name}>`, `${idHelp(id)}${fromInput}`));
    }
  }
  if (argument) command.addArgument(new Argument(`[${argument.flag}]`, `the same as --${argument.flag}`));
};

const defaultHelp = "Default: from the environment, the link, or the profile.";

const idHelp = ({ help, prefix }: PathArgument): string =>
  prefix === undefined ? help : help.replace(/\.?$/, ` (${prefix}…).`);

const fieldsOf = ({ query, body }: OperationCommand): Field[] => [...query, ...(body?.fields ?? [])];

const addOptions = (command: MgmtCommand, row: OperationCommand, overlay: CommandOverlay): void => {
  for (const field of fieldsOf(row)) addFieldOption(command, field, overlay.defaults?.[field.flag]);
  const nullable = row.body?.fields.filter((field) => field.nullable).map(({ flag }) => flag) ?? [];
  if (nullable.length > 0) command.addOption(unsetOption(nullable, row));
  if (row.body) {
    const help = "the whole body as JSON, @file, or - for standard input; flags override its fields";
    command.addOption(new Option("--body <json>", help));
  }
  if (row.id.endsWith(".create")) {
    const help =
      "create one for each line of a file with JSON objects, - for standard input; flags apply to all";
    command.addOption(new Option("--ndjson <path>", help));
  }
  if (row.ensure && row.words.at(-1) !== "ensure") {
    const help = "print the existing resource with the same identity instead of failing";
    command.addOption(new Option("--if-not-exists", help));
  }
  if (row.credentials) {
    const { property } = row.credentials;
    command.addOption(new Option(`--no-${property}`, `create no ${property} with it`));
  }
  if (row.paged) command.addOption(new Option("--all", "print all pages"));
  if (projectFilterOf(row) !== undefined) {
    const help = "list those of all projects, not only of the default one";
    command.addOption(new Option("--all-projects", help).conflicts("projectId"));
  }
  if (overlay.wait !== undefined) {
    command.addOption(new Option("--wait", waitHelp[overlay.wait.for]));
  }
  if (row.approval) {
    const help = "as an agent: wait for the sponsor's approval, then continue";
    command.addOption(new Option("--wait-approval", help));
  }
  const waits = [
    ...(overlay.wait === undefined ? [] : [`--wait waits, such as 90s or 5m (default: ${defaultWait})`]),
    ...(row.approval ? ["--wait-approval waits (default: 20m)"] : []),
  ];
  if (waits.length > 0)
    command.addOption(new Option("--timeout <time>", `how long ${waits.join(", and how long ")}`));
  if (row.secrets) {
    const isList = row.envelope === "list";
    addSecretOptions(command, { setsVariables: !isList && !row.secrets.paths.includes("envVars.*") });
  }
  addDryRunOption(command, { hidden: row.method === "GET" });
  addGlobalOptions(command, { confirms: needsConfirmation(row, overlay) });
};

const waitHelp = {
  database: "wait until the database is ready",
  deployment: "wait until the deployment is running",
  stop: "wait until the deployment has stopped",
  promotion: "wait until the service has promoted the deployment",
  transfer: "wait until the project has arrived in the other workspace",
} as const;

/** Any text may be a valid value of a field, so null needs a flag of its own. */
const unsetOption = (nullable: readonly string[], { id }: OperationCommand): Option => {
  const does = id.endsWith(".create") ? "create it without a value for" : "remove a value:";
  const help = `${does} ${nullable.join(", ")} (repeatable)`;
  return new Option("--unset <field>", help).argParser((flag: string, previous: string[] = []): string[] => {
    if (nullable.includes(flag)) return [...previous, flag];
    throw usageError(`--unset cannot be ${JSON.stringify(flag)}`, `Allowed: ${nullable.join(", ")}.`);
  });
};

const typedOf = (command: MgmtCommand, row: OperationCommand, argument: Field | undefined): TypedValues => {
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
    throw usageError(`--timeout can only be used with ${waits.join(" or ")}`);
  }
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
  return {
    ...(wait && { waitMs: timeoutMs ?? parseDuration(defaultWait, "--timeout") }),
    ...(waitApproval && { waitApproval: timeoutMs === undefined ? {} : { timeoutMs } }),
  };
};
