import { capitalize } from "@mgmt/internal/text/capitalize";
import { redactMessage } from "@mgmt/internal/redaction/redact";
import type { Command, CommanderError, Option } from "commander";
import { usageError, shortenWord } from "../../errors/usage-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { groupOverrides, isHiddenCommand } from "../../contract/command-override.js";
import { getCalledCommand, getCommandLine, MgmtCommand } from "../../command-line/command.js";
import { getProgramWords } from "../../text/program-words.js";
import { findCommandsForSynonym, findSimilar } from "../../text/suggest.js";

/** Turns commander's error into ours. */
export const explainCommanderError = async (
  error: CommanderError,
  program: Command,
  env: NodeJS.ProcessEnv,
): Promise<Error> => {
  const command = getCalledCommand(program);
  if (error.code === "commander.unknownCommand") return unknownCommandError(command, env);
  if (error.code === "commander.excessArguments") return unexpectedArgumentsError(command);
  const flag = /^error: unknown option '(--[\w-]+)=/.exec(error.message)?.[1];
  const switchOption = command.options.find(({ long }) => long === flag);
  if (switchOption) return switchValueError(switchOption, command);
  if (
    error.code === "commander.unknownOption" &&
    command instanceof MgmtCommand &&
    command.wrappedProgram !== undefined
  )
    return misplacedFlagError(command, command.wrappedProgram);
  const problem = error.message.replace(/^error: /, "");
  const mentionsValue = error.code !== "commander.optionMissingArgument";
  // The value after `=` is removed: it may be a secret.
  const [message = "", suggestion] = (mentionsValue ? problem.replace(/=.*(?=')/, "") : problem).split("\n");
  const intendedFlag = findTerraformFlag(message, command);
  if (intendedFlag !== undefined) return usageError(capitalize(message), `Did you mean ${intendedFlag}?`);
  const hint =
    suggestion === undefined
      ? `${getCommandLine(command)} --help shows the arguments and flags.`
      : suggestion.replace(/^\((.*)\)$/, "$1");
  return usageError(capitalize(message), hint);
};

const unexpectedArgumentsError = (command: Command): Error => {
  // The argument is the token then.
  if (command.getOptionValue("withToken") === true) {
    return usageError(
      `${getCommandLine(command)} reads the token from standard input`,
      "Use mgmt login --with-token < FILE.",
    );
  }
  const extraArguments = command.args.slice(command.registeredArguments.length).map(quoteWord).join(", ");
  const argumentList = command.registeredArguments.map((argument) => `<${argument.name()}>`).join(" ");
  return usageError(
    `${getCommandLine(command)} does not accept the argument ${extraArguments}`,
    `It takes ${argumentList || "no arguments"}. ${getCommandLine(command)} --help shows the arguments and flags.`,
  );
};

/** Shows the flag after `--`, without its value and the words after it, which may contain a secret. */
const misplacedFlagError = (command: MgmtCommand, program: string): Error => {
  const index = command.args.findIndex((word) => word.startsWith("-"));
  const [flag = ""] = (command.args[index] ?? "").split("=");
  const wordsBefore = [command.line, ...command.args.slice(0, index)];
  return usageError(
    `${command.line} does not have the flag ${quoteWord(flag)}`,
    `Flags of ${program} follow --: ${wordsBefore.join(" ")} -- ${flag} …`,
  );
};

const quoteWord = (word: string): string => JSON.stringify(redactMessage(shortenWord(word)));

/** The names of flags of ours in Terraform. */
const terraformFlags: Readonly<Record<string, string>> = {
  "auto-approve": "--yes",
  "detailed-exitcode": "--exit-code",
};

/** Returns the flag of a command that an unknown one of Terraform means, which may have one dash. */
const findTerraformFlag = (message: string, command: Command): string | undefined => {
  const [, name = ""] = /^unknown option '--?([a-z-]+)'$/.exec(message) ?? [];
  const flag = Object.hasOwn(terraformFlags, name) ? terraformFlags[name] : undefined;
  return command.options.some(({ long }) => long === flag) ? flag : undefined;
};

const switchValueError = ({ long = "" }: Option, command: Command): Error => {
  const oppositeOption = command.options.find((option) => option.long === long.replace("--", "--no-"));
  const turnOffText = oppositeOption ? `pass ${oppositeOption.long ?? ""}` : "leave it out";
  return usageError(`${long} takes no value`, `Pass ${long} to turn it on; to turn it off, ${turnOffText}.`);
};

const unknownCommandError = async (command: Command, env: NodeJS.ProcessEnv): Promise<Error> => {
  const word = command.args[0] ?? "";
  const visibleCommands = command.createHelp().visibleCommands(command);
  const commandByName = new Map(
    visibleCommands.flatMap((subcommand) =>
      [subcommand.name(), ...subcommand.aliases()].map((name) => [name, subcommand]),
    ),
  );
  const names = [...commandByName.keys()];
  const intendedNames = findCommandsForSynonym(word, names);
  const similarNames = intendedNames.length > 0 ? intendedNames : findSimilar(word, names);
  const matches = new Set(similarNames.flatMap((name) => commandByName.get(name) ?? []));
  const laterWords = command.args.slice(1);
  const suggestions =
    matches.size > 0
      ? await Promise.all(
          [...matches].map(async (match) => getCommandLine(await resolveSubcommand(laterWords, match))),
        )
      : await findInOtherGroups(word, command);
  const message = `Unknown command: ${getCommandLine(command)} ${word}`;
  if (suggestions.length === 0)
    return usageError(message, `${getCommandLine(command)} --help lists the commands.`);
  const next = suggestions.map((line) => [...line.split(" "), "--help"]);
  const commands = suggestions.map((line) => line.replace(/^mgmt/, getProgramWords(env).join(" ")));
  return usageError(message, `Did you mean ${commands.join(" or ")}?`, { next });
};

/** Returns the command that the words after a corrected one call. */
const resolveSubcommand = async (
  [word, ...laterWords]: readonly string[],
  command: Command,
): Promise<Command> => {
  if (!(command instanceof MgmtCommand) || word === undefined) return command;
  await command.define();
  const subcommand = command.subcommand(word);
  return subcommand ? resolveSubcommand(laterWords, subcommand) : command;
};

/**
 * Finds commands of other groups that the help shows: for `mgmt service-tokens`, `mgmt workspaces service-tokens`; for `mgmt branches
 * list`, `mgmt projects branches list`. Does not suggest commands such as `create` of groups with another name, because they do something
 * else.
 */
const findInOtherGroups = async (word: string, command: Command): Promise<string[]> => {
  // Many people call databases so, but this group has the contents of one.
  const group = command.name() === "db" ? "databases" : command.name();
  const visibleGroups = groups.filter(({ name }) => !groupOverrides[name]?.hidden);
  const definitions = (await Promise.all(visibleGroups.map(({ load }) => load())))
    .flat()
    .filter((definition) => !isHiddenCommand(definition));
  const lines = definitions.flatMap(({ words }) => {
    const index = words.indexOf(word);
    const isPlausible = command.parent === null || index < words.length - 1 || words[index - 1] === group;
    return index > 0 && isPlausible ? [`mgmt ${words.slice(0, index + 1).join(" ")}`] : [];
  });
  return [...new Set(lines)].slice(0, 3);
};
