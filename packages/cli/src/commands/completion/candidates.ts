import type { Option } from "commander";
import type { MgmtCommand } from "../../program/command.js";

/** Returns what the last of the words could become. `formats` are the values of `--output`. */
export const candidatesFor = async (
  program: MgmtCommand,
  words: readonly string[],
  formats: readonly string[],
): Promise<string[]> => {
  const current = words.at(-1) ?? "";
  const { command, pending } = await descend(program, words.slice(0, -1));
  const candidates = pending
    ? valuesOf(command, pending, formats)
    : current.startsWith("-")
      ? command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "")
      : command
          .createHelp()
          .visibleCommands(command)
          .map((each) => each.name());
  return candidates.filter((candidate) => candidate.startsWith(current));
};

interface Position {
  command: MgmtCommand;
  /** The flag whose value comes next. */
  pending: Option | undefined;
}

/** Follows the words from command to subcommand, skipping flags and their values. */
const descend = async (program: MgmtCommand, words: readonly string[]): Promise<Position> => {
  let position: Position = { command: program, pending: undefined };
  for (const word of words) {
    const { command, pending } = position;
    if (pending) {
      position = { command, pending: undefined };
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      position = { command, pending: option?.required ? option : undefined };
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      await next?.define();
      position = { command: next ?? command, pending: undefined };
    }
  }
  return position;
};

const valuesOf = ({ row }: MgmtCommand, { long }: Option, formats: readonly string[]): string[] => {
  if (long === "--output") return [...formats];
  const fields = [...(row?.query ?? []), ...(row?.body?.fields ?? [])];
  return fields.find(({ flag }) => `--${flag}` === long)?.enum?.map(String) ?? [];
};
