import { redactMessage } from "@mgmt/internal/redaction/redact";
import type { Command, CommanderError, Option } from "commander";
import { usageError, shortened } from "../../errors/usage-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { groupOverrides, isHidden } from "../../contract/command-override.js";
import { calledCommand, lineOf, MgmtCommand } from "../../command-line/command.js";
import { meantBy, similar } from "../../text/suggest.js";

/** Turns commander's error into ours. */
export const usageFailure = async (error: CommanderError, program: Command): Promise<Error> => {
  const command = calledCommand(program);
  if (error.code === "commander.unknownCommand") return unknownCommand(command);
  if (error.code === "commander.excessArguments") return unexpectedArguments(command);
  const flag = /^error: unknown option '(--[\w-]+)=/.exec(error.message)?.[1];
  const known = command.options.find(({ long }) => long === flag);
  if (known) return valueOfSwitch(known, command);
  if (
    error.code === "commander.unknownOption" &&
    command instanceof MgmtCommand &&
    command.runs !== undefined
  )
    return ownFlagOfProgram(command, command.runs);
  const text = error.message.replace(/^error: /, "");
  const namesValue = error.code !== "commander.optionMissingArgument";
  // The value after `=` is removed: it may be a secret.
  const [message = "", suggestion] = (namesValue ? text.replace(/=.*(?=')/, "") : text).split("\n");
  const meant = flagOfTerraform(message, command);
  if (meant !== undefined) return usageError(capitalized(message), `Did you mean ${meant}?`);
  const hint =
    suggestion === undefined
      ? `${lineOf(command)} --help shows the arguments and flags.`
      : suggestion.replace(/^\((.*)\)$/, "$1");
  return usageError(capitalized(message), hint);
};

const unexpectedArguments = (command: Command): Error => {
  // The argument is the token then.
  if (command.getOptionValue("withToken") === true) {
    return usageError(
      `${lineOf(command)} reads the token from standard input`,
      "Use mgmt login --with-token < FILE.",
    );
  }
  const extra = command.args.slice(command.registeredArguments.length).map(quoted).join(", ");
  const names = command.registeredArguments.map((argument) => `<${argument.name()}>`).join(" ");
  return usageError(
    `${lineOf(command)} does not accept the argument ${extra}`,
    `It takes ${names || "no arguments"}. ${lineOf(command)} --help shows the arguments and flags.`,
  );
};

/** Shows the flag after `--`, without its value and the words after it, which may contain a secret. */
const ownFlagOfProgram = (command: MgmtCommand, program: string): Error => {
  const index = command.args.findIndex((word) => word.startsWith("-"));
  const [flag = ""] = (command.args[index] ?? "").split("=");
  const before = [command.line, ...command.args.slice(0, index)];
  return usageError(
    `${command.line} does not have the flag ${quoted(flag)}`,
    `Flags of ${program} follow --: ${before.join(" ")} -- ${flag} …`,
  );
};

const quoted = (word: string): string => JSON.stringify(redactMessage(shortened(word)));

/** The names of flags of ours in Terraform. */
const terraformFlags: Readonly<Record<string, string>> = {
  "auto-approve": "--yes",
  "detailed-exitcode": "--exit-code",
};

/** Returns the flag of a command that an unknown one of Terraform means, which may have one dash. */
const flagOfTerraform = (message: string, command: Command): string | undefined => {
  const [, name = ""] = /^unknown option '--?([a-z-]+)'$/.exec(message) ?? [];
  const flag = Object.hasOwn(terraformFlags, name) ? terraformFlags[name] : undefined;
  return command.options.some(({ long }) => long === flag) ? flag : undefined;
};

const valueOfSwitch = ({ long = "" }: Option, command: Command): Error => {
  const opposite = command.options.find((option) => option.long === long.replace("--", "--no-"));
  const off = opposite ? `pass ${opposite.long ?? ""}` : "leave it out";
  return usageError(`${long} takes no value`, `Pass ${long} to turn it on; to turn it off, ${off}.`);
};

const unknownCommand = async (command: Command): Promise<Error> => {
  const word = command.args[0] ?? "";
  const visible = command.createHelp().visibleCommands(command);
  const byName = new Map(
    visible.flatMap((subcommand) =>
      [subcommand.name(), ...subcommand.aliases()].map((name) => [name, subcommand]),
    ),
  );
  const names = [...byName.keys()];
  const meant = meantBy(word, names);
  const close = meant.length > 0 ? meant : similar(word, names);
  const matches = new Set(close.flatMap((name) => byName.get(name) ?? []));
  const rest = command.args.slice(1);
  const suggestions =
    matches.size > 0
      ? await Promise.all([...matches].map(async (match) => lineOf(await calledBy(rest, match))))
      : await inOtherGroups(word, command);
  const message = `Unknown command: ${lineOf(command)} ${word}`;
  if (suggestions.length === 0) return usageError(message, `${lineOf(command)} --help lists the commands.`);
  const next = suggestions.map((line) => [...line.split(" "), "--help"]);
  return usageError(message, `Did you mean ${suggestions.join(" or ")}?`, { next });
};

/** Returns the command that the words after a corrected one call. */
const calledBy = async ([word, ...rest]: readonly string[], command: Command): Promise<Command> => {
  if (!(command instanceof MgmtCommand) || word === undefined) return command;
  await command.define();
  const next = command.subcommand(word);
  return next ? calledBy(rest, next) : command;
};

/**
 * Finds commands of other groups that the help shows: for `mgmt service-tokens`, `mgmt workspaces service-tokens`; for `mgmt branches
 * list`, `mgmt projects branches list`. Does not suggest commands such as `create` of groups with another name, because they do something
 * else.
 */
const inOtherGroups = async (word: string, command: Command): Promise<string[]> => {
  // Many people call databases so, but this group has the contents of one.
  const group = command.name() === "db" ? "databases" : command.name();
  const visible = groups.filter(({ name }) => !groupOverrides[name]?.hidden);
  const definitions = (await Promise.all(visible.map(({ load }) => load())))
    .flat()
    .filter((definition) => !isHidden(definition));
  const lines = definitions.flatMap(({ words }) => {
    const index = words.indexOf(word);
    const isMeant = command.parent === null || index < words.length - 1 || words[index - 1] === group;
    return index > 0 && isMeant ? [`mgmt ${words.slice(0, index + 1).join(" ")}`] : [];
  });
  return [...new Set(lines)].slice(0, 3);
};

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
