import { Argument, Option } from "commander";
import type { Context } from "../input/context.js";
import { usageError } from "../errors/usage-errors.js";
import { defaultApprovalTimeout, defaultWaitTimeout, parseDuration } from "../input/duration.js";
import type { CommandLineValues } from "../input/read-input.js";
import type { MgmtCommand } from "../command-line/command.js";
import { addDryRunOption, readDryRunFormat } from "../input/dry-run-option.js";
import { addGlobalOptions, collectGlobalFlags } from "../command-line/global-options.js";
import { addLineSections } from "../command-line/help-sections.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import { addSecretOptions } from "../secrets/secret-options.js";
import { createEnsureDefinition } from "./ensure-definition.js";
import { needsConfirmation, buildExamples } from "./examples.js";
import { addFieldOption, stripBackticks, readOptionValue } from "./field-options.js";
import { type CommandOverride, getOverride } from "../contract/command-override.js";
import type { Field, GeneratedCommand, PathArgument } from "../contract/generated-command.js";
import { findProjectFilterFlag } from "./defaults.js";
import type { Invocation } from "./invocation.js";
import { findDefaultName } from "./targets.js";

/** Adds the command of an operation. Its arguments and options are defined when it is called. */
export const defineOperation = (
  command: MgmtCommand,
  definition: GeneratedCommand,
  context: Context,
): void => {
  command.definition = definition;
  command.summary(definition.deprecated ? `${definition.summary} (deprecated)` : definition.summary);
  command.onFirstUse = () => defineOperationCommand(command, definition, context);
};

/** Defines the rest of a command from its definition and its override. */
const defineOperationCommand = (
  command: MgmtCommand,
  definition: GeneratedCommand,
  context: Context,
): void => {
  const override = getOverride(definition.id);
  const argumentField = definition.body?.fields.find(({ path }) => path.join(".") === override.argument);
  const takesManyIds = definition.method === "DELETE";
  command.description(renderCommandDescription(definition, override));
  addArguments(command, definition, takesManyIds, argumentField);
  addOptions(command, definition, override);
  addLineSections(command, { Examples: () => buildExamples(definition, override) });

  command.action(async () => {
    const { runOperation } = await import("./run.js");
    const operationFlags = command.opts<OperationFlags>();
    const invocation = {
      command: resolveDefinition(command, definition),
      override,
      ids: command.args.slice(0, takesManyIds ? undefined : definition.arguments.length),
      commandLineValues: collectCommandLineValues(command, definition, argumentField),
      flags: collectGlobalFlags(command),
      allPages: operationFlags.all ?? false,
      allProjects: operationFlags.allProjects ?? false,
      dryRun: readDryRunFormat(command),
      ensures: operationFlags.ifNotExists ?? definition.commandPath.at(-1) === "ensure",
      secretFlags: operationFlags,
      ...collectWaitOptions(operationFlags, definition, override),
    };
    if (operationFlags.ndjson !== undefined) {
      const { runBulkCreate } = await import("./run-bulk-create.js");
      return runBulkCreate(invocation, operationFlags.ndjson, context);
    }
    if (!takesManyIds || invocation.ids.at(-1) !== "-") return runOperation(invocation, context);
    const { readIds } = await import("./bulk-input.js");
    const ids = await readIds(context.sources);
    if (ids.length === 0) {
      context.output.notice({ code: "input:empty", message: "No ids were read from standard input." });
      return context.output.writeItemResults([]);
    }
    await runOperation({ ...invocation, ids: [...invocation.ids.slice(0, -1), ...ids] }, context);
  });
};

/** Returns the definition that the flags select. */
const resolveDefinition = (command: MgmtCommand, definition: GeneratedCommand): GeneratedCommand => {
  const { ifNotExists } = command.opts<OperationFlags>();
  const calledDefinition =
    ifNotExists && definition.ensure ? createEnsureDefinition(definition, definition.ensure) : definition;
  const { credentials, ...definitionWithoutCredentials } = calledDefinition;
  return credentials && command.getOptionValue(credentials.property) === false
    ? definitionWithoutCredentials
    : calledDefinition;
};

interface OperationFlags extends SecretFlags {
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

const renderCommandDescription = (
  { summary, description, deprecated }: GeneratedCommand,
  { sameAs }: CommandOverride,
): string => {
  const deprecationNote = deprecated?.replacedBy.length
    ? `Deprecated: use mgmt ${deprecated.replacedBy.join(" ")}.`
    : "Deprecated.";
  const texts = [`${summary}.`, stripBackticks(description)];
  if (deprecated) texts.push(deprecationNote);
  if (sameAs !== undefined) texts.push(`The same as mgmt ${sameAs}.`);
  return texts.filter(Boolean).join("\n\n");
};

const addArguments = (
  command: MgmtCommand,
  definition: GeneratedCommand,
  takesManyIds: boolean,
  argumentField: Field | undefined,
): void => {
  const hasDefault = findDefaultName(definition) !== undefined;
  for (const [index, id] of definition.arguments.entries()) {
    const isRepeatable = takesManyIds && index === definition.arguments.length - 1;
    const name = `${id.label}${isRepeatable ? "..." : ""}`;
    if (hasDefault) command.addArgument(new Argument(`[${name}]`, `${formatIdHelp(id)} ${defaultHelp}`));
    else {
      const inputHelp = isRepeatable ? " - reads one id per line from standard input." : "";
      command.addArgument(new Argument(`<${name}>`, `${formatIdHelp(id)}${inputHelp}`));
    }
  }
  if (argumentField)
    command.addArgument(new Argument(`[${argumentField.flag}]`, `the same as --${argumentField.flag}`));
};

const defaultHelp = "Default: from the environment, the link, or the profile.";

const formatIdHelp = ({ help, prefix }: PathArgument): string =>
  prefix === undefined ? help : help.replace(/\.?$/, ` (${prefix}…).`);

const listFields = ({ query, body }: GeneratedCommand): Field[] => [...query, ...(body?.fields ?? [])];

const addOptions = (command: MgmtCommand, definition: GeneratedCommand, override: CommandOverride): void => {
  for (const field of listFields(definition)) addFieldOption(command, field, override.defaults?.[field.flag]);
  const nullableFlags =
    definition.body?.fields.filter((field) => field.nullable).map(({ flag }) => flag) ?? [];
  if (nullableFlags.length > 0) command.addOption(createUnsetOption(nullableFlags, definition));
  if (definition.body) {
    const help = "the whole body as JSON, @file, or - for standard input; flags override its fields";
    command.addOption(new Option("--body <json>", help));
  }
  if (definition.id.endsWith(".create")) {
    const help =
      "create one for each line of a file with JSON objects, - for standard input; flags apply to all";
    command.addOption(new Option("--ndjson <path>", help));
  }
  if (definition.ensure && definition.commandPath.at(-1) !== "ensure") {
    const help = "print the existing resource with the same identity instead of failing";
    command.addOption(new Option("--if-not-exists", help));
  }
  if (definition.credentials) {
    const { property } = definition.credentials;
    command.addOption(new Option(`--no-${property}`, `create no ${property} with it`));
  }
  if (definition.paged) command.addOption(new Option("--all", "print all pages"));
  if (findProjectFilterFlag(definition) !== undefined) {
    const help = "list those of all projects, not only of the default one";
    command.addOption(new Option("--all-projects", help).conflicts("projectId"));
  }
  if (override.wait !== undefined) {
    command.addOption(new Option("--wait", waitHelp[override.wait.for]));
  }
  if (definition.approval) {
    const help = "as an agent: wait for the sponsor's approval, then continue";
    command.addOption(new Option("--wait-approval", help));
  }
  const waitPhrases = [
    ...(override.wait === undefined
      ? []
      : [`--wait waits, such as 90s or 5m (default: ${defaultWaitTimeout})`]),
    ...(definition.approval ? [`--wait-approval waits (default: ${defaultApprovalTimeout})`] : []),
  ];
  if (waitPhrases.length > 0)
    command.addOption(new Option("--timeout <time>", `how long ${waitPhrases.join(", and how long ")}`));
  if (definition.secrets) {
    const isList = definition.envelope === "list";
    addSecretOptions(command, { setsVariables: !isList && !definition.secrets.paths.includes("envVars.*") });
  }
  addDryRunOption(command, { hidden: definition.method === "GET" });
  addGlobalOptions(command, { confirms: needsConfirmation(definition, override) });
};

const waitHelp = {
  database: "wait until the database is ready",
  deployment: "wait until the deployment is running",
  stop: "wait until the deployment has stopped",
  promotion: "wait until the service has promoted the deployment",
  transfer: "wait until the project has arrived in the other workspace",
} as const;

/** Any text may be a valid value of a field, so null needs a flag of its own. */
const createUnsetOption = (nullableFlags: readonly string[], { id }: GeneratedCommand): Option => {
  const action = id.endsWith(".create") ? "create it without a value for" : "remove a value:";
  const help = `${action} ${nullableFlags.join(", ")} (repeatable)`;
  return new Option("--unset <field>", help).argParser((flag: string, previous: string[] = []): string[] => {
    if (nullableFlags.includes(flag)) return [...previous, flag];
    throw usageError(`--unset cannot be ${JSON.stringify(flag)}`, `Allowed: ${nullableFlags.join(", ")}.`);
  });
};

const collectCommandLineValues = (
  command: MgmtCommand,
  definition: GeneratedCommand,
  argumentField: Field | undefined,
): CommandLineValues => {
  const flags: Record<string, string | boolean> = {};
  for (const field of listFields(definition)) {
    const value = readOptionValue(command, field);
    if (value !== undefined) flags[field.flag] = value;
  }
  const { body, unset = [] } = command.opts<OperationFlags>();
  const rawValue = argumentField && command.args[definition.arguments.length];
  return {
    flags,
    unset,
    ...(body !== undefined && { body }),
    ...(argumentField && rawValue !== undefined && { argument: { field: argumentField, rawValue } }),
  };
};

const collectWaitOptions = (
  { wait, waitApproval, timeout }: OperationFlags,
  { approval }: GeneratedCommand,
  override: CommandOverride,
): Pick<Invocation, "waitMs" | "approvalWaitOptions"> => {
  if (timeout !== undefined && !wait && !waitApproval) {
    const waitFlags = [
      ...(override.wait === undefined ? [] : ["--wait"]),
      ...(approval ? ["--wait-approval"] : []),
    ];
    throw usageError(`--timeout can only be used with ${waitFlags.join(" or ")}`);
  }
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
  return {
    ...(wait && { waitMs: timeoutMs ?? parseDuration(defaultWaitTimeout, "--timeout") }),
    ...(waitApproval && { approvalWaitOptions: timeoutMs === undefined ? {} : { timeoutMs } }),
  };
};
