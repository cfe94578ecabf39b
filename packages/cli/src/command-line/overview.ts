import type { Command, Help } from "commander";
import { namesOnly } from "./headings.js";
import { renderRow, wrap } from "../output/wrap.js";

const options = [
  ["-h, --help", "show help, also after a command"],
  ["-V, --version", "show the version"],
] as const;

/** A command that a new user needs first. */
interface FirstCommand extends Command {
  readonly startHere: number;
}

const isFirst = (command: Command): command is FirstCommand =>
  "startHere" in command && command.startHere !== undefined;

type Row = readonly [term: string, meaning: string];

/**
 * Renders the output of `mgmt --help`. Subjects that concern all commands have topics of their own, and `--help --output json` has
 * everything.
 */
export const renderOverview = (program: Command, helper: Help, columns: number): string => {
  const commands = helper.visibleCommands(program);
  const first = commands.filter(isFirst).sort((a, b) => a.startHere - b.startHere);
  const sections = new Map<string, Command[]>([["Start here:", first]]);
  for (const command of commands) {
    if (isFirst(command)) continue;
    const title = command.helpGroup();
    sections.set(title, [...(sections.get(title) ?? []), command]);
  }
  const detailed = [...sections].filter(([title]) => !namesOnly.includes(title));
  const width = Math.max(
    ...commands.map((command) => command.name().length),
    ...options.map(([flags]) => flags.length),
  );
  const rendered = (rows: readonly Row[]): string[] =>
    rows.map(([term, meaning]) => renderRow(term, width, meaning, columns));
  return [
    ...wrap(`Usage: ${helper.commandUsage(program)}`, columns),
    "",
    ...wrap(helper.commandDescription(program), columns),
    ...detailed.flatMap(([title, inSection]) => [
      "",
      title,
      ...rendered(inSection.map((command) => [command.name(), helper.subcommandDescription(command)])),
    ]),
    "",
    "More commands:",
    ...rendered(
      namesOnly.map((title) => [
        title.replace(":", ""),
        (sections.get(title) ?? []).map((command) => command.name()).join(", "),
      ]),
    ),
    "",
    "Options:",
    ...rendered(options),
    "",
    "Help topics:",
    ...rendered([["mgmt help", "options, output, exit-codes, environment, auth, names, ci"]]),
    "",
  ].join("\n");
};
