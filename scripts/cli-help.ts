import type { Context } from "../packages/cli/src/input/context.js";
import { Output } from "../packages/cli/src/output/output.js";
import {
  type CommandHelp,
  describeCommand,
  collectCommands,
} from "../packages/cli/src/command-line/describe-command.js";
import { overviewHeadings } from "../packages/cli/src/command-line/overview-headings.js";

/** Returns the help of every command of the sources, `mgmt` itself first. */
export const readCliHelp = async (): Promise<CommandHelp[]> => {
  // It imports the tree of commands, which the generator writes before it calls this function.
  const { buildProgram } = await import("../packages/cli/src/commands/program.js");
  const context: Partial<Context> = { version: "", output: new Output("table"), env: {}, cwd: "/" };
  // Commands are defined and described, and use no more of a run.
  return (await collectCommands(buildProgram(context as Context))).map(describeCommand);
};

/** Commands that are documented together. */
export interface CommandGroup {
  /** `projects`, or `account` for the section of hand-written commands. */
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly commands: readonly CommandHelp[];
}

/** Sections of the overview whose commands are not groups of operations. */
const sections: readonly string[] = Object.values(overviewHeadings).map((heading) =>
  heading.replace(/:$/, ""),
);

/** Groups the commands by their first word, except those of `sections`. */
export const groupCommands = ([root, ...commands]: readonly CommandHelp[]): CommandGroup[] => {
  const groups = new Map<string, CommandGroup & { commands: CommandHelp[] }>();
  for (const { command: line, summary, section } of root?.subcommands ?? []) {
    const isSection = section !== null && sections.includes(section);
    const title = isSection ? section : line;
    const name = title.replace("mgmt ", "").replaceAll(" ", "-").toLowerCase();
    const group = groups.get(name) ?? { name, title, summary: isSection ? "" : summary, commands: [] };
    groups.set(name, group);
    group.commands.push(
      ...commands.filter(({ command }) => command === line || command.startsWith(`${line} `)),
    );
  }
  return [...groups.values()];
};
