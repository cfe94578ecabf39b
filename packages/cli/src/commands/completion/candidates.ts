import type { Option } from "commander";
import type { Context } from "../../input/context.js";
import { namedKindOf, type NamedKind, namedKinds } from "../../contract/id-form.js";
import { formats } from "../../output/output.js";
import { profilesFile, readProfiles } from "../../profiles/read-profiles.js";
import type { MgmtCommand } from "../../command-line/command.js";
import { onlyIds } from "../../command-line/completion.js";
import { globalFlags } from "../../command-line/global-options.js";
import { knownResources, type Patience } from "./known-resources.js";

interface Completion {
  readonly context: Context;
  /** How long to wait for the service. */
  readonly patience: Patience;
}

/** Returns what the last of the words could become. */
export const candidatesFor = async (
  program: MgmtCommand,
  words: readonly string[],
  completion: Completion,
): Promise<string[]> => {
  const { before, current, prefix } = splitWords(words);
  const position = await descend(program, before);
  const candidates = await valuesAt(position, current, completion);
  return candidates
    .filter((candidate) => candidate.startsWith(current))
    .map((candidate) => `${prefix}${candidate}`);
};

/** Splits `--flag=value` at its end. PowerShell passes `""` for an empty word. */
const splitWords = (
  words: readonly string[],
): { before: readonly string[]; current: string; prefix: string } => {
  const last = words.at(-1) === '""' ? "" : (words.at(-1) ?? "");
  const before = words.slice(0, -1);
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined || value === undefined) return { before, current: last, prefix: "" };
  return { before: [...before, flag], current: value, prefix: `${flag}=` };
};

interface Position {
  readonly command: MgmtCommand;
  /** The flag whose value comes next. */
  readonly pending: Option | undefined;
  /** The arguments of the command that were typed. */
  readonly typed: readonly string[];
  /** Whether `--` was typed, after which no flag can follow. */
  readonly hasEnded: boolean;
}

/** Follows the words from command to subcommand, skipping flags and their values. */
const descend = async (program: MgmtCommand, words: readonly string[]): Promise<Position> => {
  let position: Position = { command: program, pending: undefined, typed: [], hasEnded: false };
  for (const word of words) {
    const { command, pending, typed, hasEnded } = position;
    if (pending) {
      position = { ...position, pending: undefined };
    } else if (word === "--") {
      position = { ...position, hasEnded: true };
    } else if (word.startsWith("-") && !hasEnded) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      position = { ...position, pending: option?.required ? option : undefined };
    } else {
      const next = hasEnded ? undefined : command.subcommand(word);
      await next?.define();
      position = next ? { ...position, command: next, typed: [] } : { ...position, typed: [...typed, word] };
    }
  }
  return position;
};

const valuesAt = async (
  { command, pending, typed, hasEnded }: Position,
  current: string,
  completion: Completion,
): Promise<readonly string[]> => {
  if (pending) return valuesOf(command, pending, completion);
  if (current.startsWith("-") && !hasEnded) {
    return command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "");
  }
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((subcommand) => subcommand.name());
  const { definition } = command;
  if (!definition) {
    const known = (kind: NamedKind): Promise<readonly string[]> => resources(kind, command, completion);
    const profiles = (): string[] => profileNames(completion.context);
    return command.completeArgument?.({ typed, current, resources: known, profiles }) ?? [];
  }
  const { length } = typed;
  const parameter =
    definition.arguments[
      definition.method === "DELETE" ? Math.min(length, definition.arguments.length - 1) : length
    ];
  return resources(namedKindOf(parameter?.prefix), command, completion);
};

const valuesOf = async (
  command: MgmtCommand,
  { long, argChoices }: Option,
  completion: Completion,
): Promise<readonly string[]> => {
  if (argChoices) return argChoices;
  if (long === "--output") return formats;
  if (long === "--profile") return profileNames(completion.context);
  const { definition } = command;
  if (!definition) {
    const kind = namedKinds.find((name) => `--${name}-id` === long);
    return kind ? onlyIds(kind, await resources(kind, command, completion)) : [];
  }
  const field = [...definition.query, ...(definition.body?.fields ?? [])].find(
    ({ flag }) => `--${flag}` === long,
  );
  return field?.enum?.map(String) ?? resources(namedKindOf(field?.prefix), command, completion);
};

const profileNames = ({ env }: Context): string[] => Object.keys(readProfiles(profilesFile(env)).profiles);

const resources = async (
  kind: NamedKind | undefined,
  command: MgmtCommand,
  { context, patience }: Completion,
): Promise<readonly string[]> => (kind ? knownResources(kind, globalFlags(command), context, patience) : []);
