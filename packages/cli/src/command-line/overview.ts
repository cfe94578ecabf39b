import type { Command, Help } from "commander";
import { headingsWithNamesOnly } from "./overview-headings.js";
import { renderTerm, wrapText } from "../output/wrap.js";

const overviewOptions = [
  ["-h, --help", "show help, also after a command"],
  ["-V, --version", "show the version"],
] as const;

/** A command that a new user needs first. */
interface StartHereCommand extends Command {
  readonly gettingStartedOrder: number;
}

const isStartHereCommand = (command: Command): command is StartHereCommand =>
  "gettingStartedOrder" in command && command.gettingStartedOrder !== undefined;

type HelpRow = readonly [term: string, meaning: string];

/**
 * Renders the output of `mgmt --help`. Subjects that concern all commands have topics of their own, and `--help --output json` has
 * everything.
 */
export const renderOverview = (program: Command, helper: Help, columns: number): string => {
  const commands = helper.visibleCommands(program);
  const startHereCommands = commands
    .filter(isStartHereCommand)
    .sort((left, right) => left.gettingStartedOrder - right.gettingStartedOrder);
  const sections = new Map<string, Command[]>([["Start here:", startHereCommands]]);
  for (const command of commands) {
    if (isStartHereCommand(command)) continue;
    const title = command.helpGroup();
    sections.set(title, [...(sections.get(title) ?? []), command]);
  }
  const detailedSections = [...sections].filter(([title]) => !headingsWithNamesOnly.includes(title));
  const termWidth = Math.max(
    ...commands.map((command) => command.name().length),
    ...overviewOptions.map(([flags]) => flags.length),
  );
  const renderHelpRows = (rows: readonly HelpRow[]): string[] =>
    rows.map(([term, meaning]) => renderTerm(term, termWidth, meaning, columns));
  return [
    ...wrapText(`Usage: ${helper.commandUsage(program)}`, columns),
    "",
    ...wrapText(helper.commandDescription(program), columns),
    ...detailedSections.flatMap(([title, sectionCommands]) => [
      "",
      title,
      ...renderHelpRows(
        sectionCommands.map((command) => [command.name(), helper.subcommandDescription(command)]),
      ),
    ]),
    "",
    "More commands:",
    ...renderHelpRows(
      headingsWithNamesOnly.map((title) => [
        title.replace(":", ""),
        (sections.get(title) ?? []).map((command) => command.name()).join(", "),
      ]),
    ),
    "",
    "Help:",
    ...renderHelpRows(overviewOptions),
    ...renderHelpRows([["mgmt help", "options, output, exit-codes, environment, auth, names, ci"]]),
    "",
  ].join("\n");
};
