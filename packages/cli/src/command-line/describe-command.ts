import type { Argument, Command, Option } from "commander";
import type { Field } from "../contract/generated-command.js";
import { MgmtCommand } from "./command.js";

/** The help of a command as data: what `--help --output json` prints. */
export interface CommandHelp {
  /** The full command, such as `mgmt databases create`. */
  readonly command: string;
  readonly summary: string;
  readonly description: string;
  readonly usage: string;
  readonly aliases: readonly string[];
  /** The API operation that the command calls; null if it calls none or several. */
  readonly operationId: string | null;
  readonly arguments: readonly ArgumentHelp[];
  /** The flags that are used most come first. */
  readonly options: readonly OptionHelp[];
  readonly subcommands: readonly { command: string; summary: string; section: string | null }[];
  readonly examples: readonly string[];
}

export interface ArgumentHelp {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly repeatable: boolean;
}

export interface OptionHelp {
  /** With its dashes: `--region`. */
  readonly name: string;
  readonly short: string | null;
  /** The placeholder of its value in the help, such as `name`; null if it takes no value. */
  readonly value: string | null;
  readonly description: string;
  readonly required: boolean;
  readonly deprecated: boolean;
  /** Whether every command accepts it. */
  readonly global: boolean;
  /** The values that are allowed, if they are known. */
  readonly allowed: readonly (string | number)[] | null;
  readonly default: unknown;
}

/** Describes a command. Call `define` on it first. */
export const describeCommand = (command: MgmtCommand): CommandHelp => {
  const helper = command.createHelp();
  const { definition } = command;
  const fields = [...(definition?.query ?? []), ...(definition?.body?.fields ?? [])];
  const options = helper.visibleOptions(command).map((option) => describeOption(option, fields));
  return {
    command: command.line,
    summary: command.summary(),
    description: command.description(),
    usage: helper.commandUsage(command),
    aliases: command.aliases(),
    operationId: definition?.id ?? null,
    arguments: command.registeredArguments.map(describeArgument),
    options: [...options.filter((option) => !option.global), ...options.filter((option) => option.global)],
    subcommands: helper.visibleCommands(command).map(describeSubcommand),
    examples: getSectionLines(command, "Examples"),
  };
};

const getSectionLines = (command: MgmtCommand, title: string): readonly string[] =>
  command.sections.filter((section) => section.title === title).flatMap(({ lines }) => lines());

const describeArgument = (argument: Argument): ArgumentHelp => ({
  name: argument.name(),
  description: argument.description,
  required: argument.required,
  repeatable: argument.variadic,
});

const describeOption = (option: Option, fields: readonly Field[]): OptionHelp => {
  const { long = "", short = null, description, flags } = option;
  const field = fields.find(({ flag }) => long === `--${flag}` || long === `--${flag}-file`);
  return {
    name: long,
    short,
    value: /<(.+)>/.exec(flags)?.[1] ?? null,
    description,
    required: field?.required === "always",
    deprecated: field?.deprecated ?? false,
    global: option.helpGroupHeading !== undefined,
    allowed: field?.enum ?? option.argChoices ?? null,
    default: field?.default ?? (option.defaultValue as unknown) ?? null,
  };
};

const describeSubcommand = (command: Command): CommandHelp["subcommands"][number] => ({
  command: command instanceof MgmtCommand ? command.line : command.name(),
  summary: command.summary(),
  section: command.helpGroup()?.replace(/:$/, "") || null,
});

/** Defines and returns a command and all below it that are not hidden, in the order of the help. */
export const collectCommands = async (command: MgmtCommand): Promise<MgmtCommand[]> => {
  await command.define();
  const visibleCommands = new Set(command.createHelp().visibleCommands(command));
  const subcommandLists = await Promise.all(
    command.commands.filter((subcommand) => visibleCommands.has(subcommand)).map(collectCommands),
  );
  return [command, ...subcommandLists.flat()];
};
