import type { Option } from "commander";
import { formats } from "../output/output.js";
import type { MgmtCommand } from "../program/command.js";

/** What the last of the words of a command line could become. */
export const candidatesFor = async (program: MgmtCommand, words: readonly string[]): Promise<string[]> => {
  const current = words.at(-1) ?? "";
  const { command, pending } = await walk(program, words.slice(0, -1));
  const candidates = pending
    ? valuesOf(command, pending)
    : current.startsWith("-")
      ? command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? "")
      : command
          .createHelp()
          .visibleCommands(command)
          .map((each) => each.name());
  return candidates.filter((candidate) => candidate.startsWith(current));
};

interface Place {
  command: MgmtCommand;
  /** The flag whose value comes next. */
  pending: Option | undefined;
}

/** Goes down the commands that are named, past flags and their values. */
const walk = async (program: MgmtCommand, words: readonly string[]): Promise<Place> => {
  let place: Place = { command: program, pending: undefined };
  for (const word of words) {
    const { command, pending } = place;
    if (pending) {
      place = { command, pending: undefined };
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      place = { command, pending: option?.required ? option : undefined };
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      await next?.fill();
      place = { command: next ?? command, pending: undefined };
    }
  }
  return place;
};

const valuesOf = ({ row }: MgmtCommand, { long }: Option): string[] => {
  if (long === "--output") return [...formats];
  const fields = [...(row?.query ?? []), ...(row?.body?.fields ?? [])];
  return fields.find(({ flag }) => `--${flag}` === long)?.enum?.map(String) ?? [];
};
