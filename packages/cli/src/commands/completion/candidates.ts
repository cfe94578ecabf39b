import type { Option } from "commander";
import type { Context } from "../../context.js";
import { namedKindOf, type NamedKind } from "../../names/id-form.js";
import { formats } from "../../output/output.js";
import { profilesFile, readProfiles } from "../../profiles/read-profiles.js";
import type { MgmtCommand } from "../../program/command.js";
import { globalFlags } from "../../program/global-options.js";
import { knownResources } from "./known-resources.js";

/** Returns what the last of the words could become. */
export const candidatesFor = async (
  program: MgmtCommand,
  words: readonly string[],
  context: Context,
): Promise<string[]> => {
  const { before, current, prefix } = splitWords(words);
  const position = await descend(program, before);
  const candidates = await valuesAt(position, current, context);
  return candidates
    .filter((candidate) => candidate.startsWith(current))
    .map((candidate) => `${prefix}${candidate}`);
};

/** Splits `--flag=value` at its end, in one word or, as bash passes it, in three. PowerShell passes `""` for an empty word. */
const splitWords = (
  words: readonly string[],
): { before: readonly string[]; current: string; prefix: string } => {
  const last = words.at(-1) === '""' ? "" : (words.at(-1) ?? "");
  const before = words.slice(0, -1);
  if (last === "=" && before.at(-1)?.startsWith("--")) return { before, current: "", prefix: "" };
  if (before.at(-1) === "=") return { before: before.slice(0, -1), current: last, prefix: "" };
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  if (flag === undefined || value === undefined) return { before, current: last, prefix: "" };
  return { before: [...before, flag], current: value, prefix: `${flag}=` };
};

interface Position {
  readonly command: MgmtCommand;
  /** The flag whose value comes next. */
  readonly pending: Option | undefined;
  /** How many arguments of the command were typed. */
  readonly typed: number;
}

/** Follows the words from command to subcommand, skipping flags and their values. */
const descend = async (program: MgmtCommand, words: readonly string[]): Promise<Position> => {
  let position: Position = { command: program, pending: undefined, typed: 0 };
  for (const word of words) {
    const { command, pending, typed } = position;
    if (word === "=") continue;
    if (pending) {
      position = { command, pending: undefined, typed };
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      position = { command, pending: option?.required ? option : undefined, typed };
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      await next?.define();
      position = { command: next ?? command, pending: undefined, typed: next ? 0 : typed + 1 };
    }
  }
  return position;
};

const valuesAt = async (
  { command, pending, typed }: Position,
  current: string,
  context: Context,
): Promise<readonly string[]> => {
  if (pending) return valuesOf(command, pending, context);
  if (current.startsWith("-")) {
    return command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "");
  }
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((each) => each.name());
  const { row } = command;
  const parameter =
    row?.arguments[row.method === "DELETE" ? Math.min(typed, row.arguments.length - 1) : typed];
  const [argument] = command.registeredArguments.slice(typed);
  if (argument?.name() === "profile") return profileNames(context);
  return resources(namedKindOf(parameter?.prefix), command, context);
};

const valuesOf = async (
  command: MgmtCommand,
  { long }: Option,
  context: Context,
): Promise<readonly string[]> => {
  if (long === "--output") return formats;
  if (long === "--profile") return profileNames(context);
  const { row } = command;
  const field = [...(row?.query ?? []), ...(row?.body?.fields ?? [])].find(
    ({ flag }) => `--${flag}` === long,
  );
  return field?.enum?.map(String) ?? resources(namedKindOf(field?.prefix), command, context);
};

const profileNames = ({ env }: Context): string[] => Object.keys(readProfiles(profilesFile(env)).profiles);

const resources = async (
  kind: NamedKind | undefined,
  command: MgmtCommand,
  context: Context,
): Promise<readonly string[]> => (kind ? knownResources(kind, globalFlags(command), context) : []);
