import { capitalize } from "@mgmt/internal/text/capitalize";
import { redactMessage } from "@mgmt/internal/redaction/redact";
import type { Command, CommanderError, Option } from "commander";
import { usageError, shortenWord } from "../../errors/usage-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { groupOverrides, isHiddenCommand } from "../../contract/command-override.js";
import { getCalledCommand, getCommandLine, MgmtCommand } from "../../command-line/command.js";
import { getMgmtCommand } from "../../text/mgmt-command.js";
import { findCommandsForSynonym, findSimilar } from "../../text/suggest.js";

/**
 * The error of commander for a flag that a command does not have: the word of the command line, whose value may have quotes and line
 * breaks, and the flag that commander suggests.
 */
const unknownOptionPattern = /^error: unknown option '([^]*)'(?:\n\(([^\n]*)\))?$/;

/** The error of commander for a value that is none of the choices of a flag: the text before the value, the value, the text after it. */
const invalidValuePattern = /^(option '[^\n]*' argument ')([^]*)(' is invalid\.[^\n]*)$/;

/** The flag in a word such as `--name=value`. */
const flagPattern = /^[^=\s]*/;

/**
 * Converts an error of commander to a usage error. Two of commander's texts contain what the user typed, and are parsed: `unknown option
 * '--name=value'`, which is also the error for a value of a flag that takes none, and `option '--name <choice>' argument 'value' is
 * invalid.` The value after `=` is never repeated, because it may be a secret; other words are shortened, and secrets in them are masked.
 *
 * @param env names the program in suggestions, such as `npx mgmt`.
 */
export const explainCommanderError = async (
  error: CommanderError,
  program: Command,
  env: NodeJS.ProcessEnv,
): Promise<Error> => {
  const command = getCalledCommand(program);
  if (error.code === "commander.unknownCommand") return unknownCommandError(command, env);
  if (error.code === "commander.excessArguments") return unexpectedArgumentsError(command);
  const unknownOption = unknownOptionPattern.exec(error.message);
  if (unknownOption) {
    const [, word = "", suggestion] = unknownOption;
    return unknownOptionError(command, word, suggestion);
  }
  const message = error.message
    .replace(/^error: /, "")
    .replace(
      invalidValuePattern,
      (_, start: string, value: string, punctuation: string) => start + redactWord(value) + punctuation,
    );
  return usageError(capitalize(message), createHelpHint(command));
};

const unknownOptionError = (command: Command, word: string, suggestion: string | undefined): Error => {
  const [flag = ""] = flagPattern.exec(word) ?? [];
  const switchOption = word === flag ? undefined : command.options.find(({ long }) => long === flag);
  if (switchOption) return switchValueError(switchOption, command);
  if (command instanceof MgmtCommand && command.wrappedProgram !== undefined)
    return misplacedFlagError(command, command.wrappedProgram);
  // An argument, such as SQL that begins with a comment.
  if (/^-[\w-]*\s/.test(word)) {
    return usageError(
      `Unknown option '${redactWord(flag)}'`,
      `Put arguments that begin with a dash last, after --: ${getCommandLine(command)} [options] -- ARGUMENT`,
    );
  }
  const terraformFlag = findTerraformFlag(flag, command);
  const hint = terraformFlag === undefined ? suggestion : `Did you mean ${terraformFlag}?`;
  return usageError(`Unknown option '${redactWord(flag)}'`, hint ?? createHelpHint(command));
};

const createHelpHint = (command: Command): string =>
  `${getCommandLine(command)} --help shows the arguments and flags.`;

const unexpectedArgumentsError = (command: Command): Error => {
  // With --with-token, users may pass the token as an argument. It must not be repeated.
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
    `It takes ${argumentList || "no arguments"}. ${createHelpHint(command)}`,
  );
};

/** Suggests a command line with the flag after `--`. Omits the value of the flag and the words after it, which may contain a secret. */
const misplacedFlagError = (command: MgmtCommand, program: string): Error => {
  const index = command.args.findIndex((word) => word.startsWith("-"));
  const [flag = ""] = flagPattern.exec(command.args[index] ?? "") ?? [];
  const lineBefore = [command.line, ...command.args.slice(0, index).map(redactWord)].join(" ");
  return usageError(
    `${command.line} does not have the flag ${quoteWord(flag)}`,
    `Flags of ${program} follow --: ${lineBefore} -- ${redactWord(flag)} …`,
  );
};

/** Returns a word of the command line as a JSON string: shortened, on one line, and with its secrets masked. */
const quoteWord = (word: string): string => JSON.stringify(redactMessage(shortenWord(word)));

/** Returns a word of the command line like `quoteWord`, without the quotes. */
const redactWord = (word: string): string => quoteWord(word).slice(1, -1);

/** Terraform's names of flags, without dashes, and the flags of `mgmt` that do the same. */
const terraformFlags: Readonly<Record<string, string>> = {
  "auto-approve": "--yes",
  "detailed-exitcode": "--exit-code",
};

/** Returns the flag of the command that does what the flag of Terraform does. Terraform accepts one dash and two. */
const findTerraformFlag = (flag: string, command: Command): string | undefined => {
  const name = flag.replace(/^--?/, "");
  const equivalentFlag = Object.hasOwn(terraformFlags, name) ? terraformFlags[name] : undefined;
  return command.options.some(({ long }) => long !== undefined && long === equivalentFlag)
    ? equivalentFlag
    : undefined;
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
  const message = `Unknown command: ${getCommandLine(command)} ${redactWord(word)}`;
  if (suggestions.length === 0)
    return usageError(message, `${getCommandLine(command)} --help lists the commands.`);
  const next = suggestions.map((line) => [...line.split(" "), "--help"]);
  const commands = suggestions.map((line) => line.replace(/^mgmt/, getMgmtCommand(env).join(" ")));
  return usageError(message, `Did you mean ${commands.join(" or ")}?`, { next });
};

/** Returns the command that the words after a corrected one call. */
const resolveSubcommand = async (
  [word, ...laterWords]: readonly string[],
  command: Command,
): Promise<Command> => {
  if (!(command instanceof MgmtCommand) || word === undefined) return command;
  await command.define();
  const subcommand = command.findSubcommand(word);
  return subcommand ? resolveSubcommand(laterWords, subcommand) : command;
};

/**
 * Finds commands of other groups that the help shows: for `mgmt service-tokens`, `mgmt workspaces service-tokens`; for `mgmt branches
 * list`, `mgmt projects branches list`. Does not suggest commands such as `create` of groups with another name, because they do something
 * else.
 */
const findInOtherGroups = async (word: string, command: Command): Promise<string[]> => {
  // Many users type `db` for `databases`, but the group `db` is about the contents of one database.
  const group = command.name() === "db" ? "databases" : command.name();
  const visibleGroups = groups.filter(({ name }) => !groupOverrides[name]?.hidden);
  const definitions = (await Promise.all(visibleGroups.map(({ load }) => load())))
    .flat()
    .filter((definition) => !isHiddenCommand(definition));
  const lines = definitions.flatMap(({ commandPath }) => {
    const index = commandPath.indexOf(word);
    const isPlausible =
      command.parent === null || index < commandPath.length - 1 || commandPath[index - 1] === group;
    return index > 0 && isPlausible ? [`mgmt ${commandPath.slice(0, index + 1).join(" ")}`] : [];
  });
  return [...new Set(lines)].slice(0, 3);
};
