import type { Context } from "../input/context.js";
import type { MgmtCommand } from "./command.js";
import type { CommandDeclaration, GroupDeclaration } from "./declaration.js";
import { addGlobalOptions } from "./global-options.js";
import { addSections } from "./help-sections.js";

/** The exports of a file with declarations. */
type Declarations = Readonly<Record<string, GroupDeclaration | CommandDeclaration<unknown>>>;

/** The part of a declared command that the overview and completion need. It is generated, so that a start loads no declaration. */
export interface CommandNode {
  readonly name: string;
  readonly summary: string;
  /** Section of the overview, for commands directly below `mgmt`. */
  readonly heading?: string;
  readonly startHere?: number;
  readonly alias?: string;
  readonly hidden?: boolean;
  /** Loads declarations, that of the command among them, when it is called or its help is shown. Absent for a group. */
  readonly load?: () => Promise<Declarations>;
  readonly subcommands?: readonly CommandNode[];
}

/** Adds commands by name and summary. The rest is defined on demand. */
export const addCommands = (parent: MgmtCommand, nodes: readonly CommandNode[], context: Context): void => {
  for (const node of nodes) {
    const { name, summary, heading, startHere, alias, hidden = false, load } = node;
    parent.addLazy({
      name,
      aliases: alias === undefined ? [] : [alias],
      hidden,
      describe: (command) => {
        command.summary(summary);
        if (heading !== undefined) command.helpGroup(heading);
        if (startHere !== undefined) command.startHere = startHere;
        command.onDefine = async () => {
          const declaration = load && findDeclaration(command, await load());
          if (declaration) defineCommand(command, declaration, context);
          else addGroupDefaults(command, summary);
          addCommands(command, node.subcommands ?? [], context);
        };
      },
    });
  }
};

const findDeclaration = (
  { line }: MgmtCommand,
  declarations: Declarations,
): CommandDeclaration<unknown> | undefined => {
  const matchesLine = (words: string): boolean => line === `mgmt ${words}`;
  return Object.values(declarations).find(
    (declaration): declaration is CommandDeclaration<unknown> =>
      "define" in declaration &&
      (matchesLine(declaration.words) || (declaration.alsoAs ?? []).some(matchesLine)),
  );
};

const defineCommand = (
  command: MgmtCommand,
  declaration: CommandDeclaration<unknown>,
  context: Context,
): void => {
  const { description, examples, resultOf, errors = {}, confirms = false, globalOptions } = declaration;
  if (description !== undefined) command.description(description);
  if (resultOf !== undefined) command.resultOf = resultOf;
  command.errors = errors;
  declaration.define(command, context);
  if (globalOptions !== "none") addGlobalOptions(command, { confirms, hidden: globalOptions === "hidden" });
  if (examples) addSections(command, { Examples: () => examples });
};

/** Defines a command that only has subcommands. Call it when the command is called: its options take long to make. */
export const addGroupDefaults = (command: MgmtCommand, summary: string): void => {
  command.usage("<command> [options]").summary(summary).description(summary);
  addGlobalOptions(command, { hidden: true });
};
