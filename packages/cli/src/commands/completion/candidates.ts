import type { Option } from "commander";
import type { Context } from "../../input/context.js";
import { getNameableTypeByPrefix, type NameableType, nameableTypes } from "../../contract/nameable-types.js";
import { outputFormats } from "../../output/output-format.js";
import { getProfilesPath, readProfiles } from "../../profiles/read-profiles.js";
import type { MgmtCommand } from "../../command-line/command.js";
import { filterIds } from "../../command-line/argument-completion.js";
import { collectGlobalFlags } from "../../command-line/global-options.js";
import { listKnownResources, type CompletionDeadline } from "./known-resources.js";

interface CompletionOptions {
  readonly context: Context;
  /** How long to wait for the service. */
  readonly deadline: CompletionDeadline;
}

/** Returns the completions of the last word. */
export const findCandidates = async (
  program: MgmtCommand,
  words: readonly string[],
  options: CompletionOptions,
): Promise<string[]> => {
  const { wordsBefore, currentWord, prefix } = splitWords(words);
  const position = await findPosition(program, wordsBefore);
  const candidates = await listPositionCandidates(position, currentWord, options);
  return candidates
    .filter((candidate) => candidate.startsWith(currentWord))
    .map((candidate) => `${prefix}${candidate}`);
};

/** Splits `--flag=value` at its end. PowerShell passes `""` for an empty word. */
const splitWords = (
  words: readonly string[],
): { wordsBefore: readonly string[]; currentWord: string; prefix: string } => {
  const lastWord = words.at(-1) === '""' ? "" : (words.at(-1) ?? "");
  const wordsBefore = words.slice(0, -1);
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(lastWord) ?? [];
  if (flag === undefined || value === undefined) return { wordsBefore, currentWord: lastWord, prefix: "" };
  return { wordsBefore: [...wordsBefore, flag], currentWord: value, prefix: `${flag}=` };
};

interface CommandLinePosition {
  readonly command: MgmtCommand;
  /** The flag whose value comes next. */
  readonly awaitedOption: Option | undefined;
  /** The arguments of the command that were typed. */
  readonly earlierArguments: readonly string[];
  /** Whether `--` was typed, after which no flag can follow. */
  readonly isAfterDoubleDash: boolean;
}

/** Follows the words from command to subcommand, skipping flags and their values. */
const findPosition = async (program: MgmtCommand, words: readonly string[]): Promise<CommandLinePosition> => {
  let position: CommandLinePosition = {
    command: program,
    awaitedOption: undefined,
    earlierArguments: [],
    isAfterDoubleDash: false,
  };
  for (const word of words) {
    const { command, awaitedOption, earlierArguments, isAfterDoubleDash } = position;
    if (awaitedOption) {
      position = { ...position, awaitedOption: undefined };
    } else if (word === "--") {
      position = { ...position, isAfterDoubleDash: true };
    } else if (word.startsWith("-") && !isAfterDoubleDash) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      position = { ...position, awaitedOption: option?.required ? option : undefined };
    } else {
      const subcommand = isAfterDoubleDash ? undefined : command.findSubcommand(word);
      await subcommand?.define();
      position = subcommand
        ? { ...position, command: subcommand, earlierArguments: [] }
        : { ...position, earlierArguments: [...earlierArguments, word] };
    }
  }
  return position;
};

const listPositionCandidates = async (
  { command, awaitedOption, earlierArguments, isAfterDoubleDash }: CommandLinePosition,
  currentWord: string,
  options: CompletionOptions,
): Promise<readonly string[]> => {
  if (awaitedOption) return listOptionCandidates(command, awaitedOption, options);
  if (currentWord.startsWith("-") && !isAfterDoubleDash) {
    return command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "");
  }
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((subcommand) => subcommand.name());
  const { definition } = command;
  if (!definition) {
    const listResources = (resourceType: NameableType): Promise<readonly string[]> =>
      listResourceCandidates(resourceType, command, options);
    const listProfiles = (): string[] => listProfileNames(options.context);
    return (
      command.completeArgument?.({
        earlierArguments,
        currentWord,
        listResources,
        listProfiles,
      }) ?? []
    );
  }
  const { length } = earlierArguments;
  const parameter =
    definition.arguments[
      definition.method === "DELETE" ? Math.min(length, definition.arguments.length - 1) : length
    ];
  return listResourceCandidates(getNameableTypeByPrefix(parameter?.prefix), command, options);
};

const listOptionCandidates = async (
  command: MgmtCommand,
  { long, argChoices }: Option,
  options: CompletionOptions,
): Promise<readonly string[]> => {
  if (argChoices) return argChoices;
  if (long === "--output") return outputFormats;
  if (long === "--profile") return listProfileNames(options.context);
  const { definition } = command;
  if (!definition) {
    const resourceType = nameableTypes.find((name) => `--${name}-id` === long);
    return resourceType
      ? filterIds(resourceType, await listResourceCandidates(resourceType, command, options))
      : [];
  }
  const field = [...definition.query, ...(definition.body?.fields ?? [])].find(
    ({ flag }) => `--${flag}` === long,
  );
  return (
    field?.enum?.map(String) ??
    listResourceCandidates(getNameableTypeByPrefix(field?.prefix), command, options)
  );
};

const listProfileNames = ({ env }: Context): string[] =>
  Object.keys(readProfiles(getProfilesPath(env)).profiles);

const listResourceCandidates = async (
  resourceType: NameableType | undefined,
  command: MgmtCommand,
  { context, deadline }: CompletionOptions,
): Promise<readonly string[]> =>
  resourceType ? listKnownResources(resourceType, collectGlobalFlags(command), context, deadline) : [];
