import type { Context } from "../input/context.js";
import type { MgmtCommand } from "./command.js";
import type { HandwrittenCommand, HandwrittenGroup } from "./handwritten-command.js";
import { addGlobalOptions } from "./global-options.js";
import { addLineSections } from "./help-sections.js";

/** The exports of a file with declarations. */
type CommandDeclarations = Readonly<Record<string, HandwrittenGroup | HandwrittenCommand<unknown>>>;

/** The outline of a handwritten command, which the overview and completion need. It is generated, so that a start loads no declaration. */
export interface CommandOutline {
  readonly name: string;
  readonly summary: string;
  /** Section of the overview, for commands directly below `mgmt`. */
  readonly helpGroup?: string;
  /** Place among the commands that a new user needs first. */
  readonly gettingStartedOrder?: number;
  readonly alias?: string;
  readonly hidden?: boolean;
  /** Loads declarations, including the command's, when it is called or its help is shown. Absent for a group. */
  readonly load?: () => Promise<CommandDeclarations>;
  readonly subcommands?: readonly CommandOutline[];
}

/** Adds commands by name and summary. The rest is defined on demand. */
export const addCommands = (
  parent: MgmtCommand,
  outlines: readonly CommandOutline[],
  context: Context,
): void => {
  for (const outline of outlines) {
    const { name, summary, helpGroup, gettingStartedOrder, alias, hidden = false, load } = outline;
    parent.addLazy({
      name,
      aliases: alias === undefined ? [] : [alias],
      hidden,
      describeInParent: (command) => {
        command.summary(summary);
        if (helpGroup !== undefined) command.helpGroup(helpGroup);
        if (gettingStartedOrder !== undefined) command.gettingStartedOrder = gettingStartedOrder;
        command.onFirstUse = async () => {
          if (load) defineCommand(command, requireDeclaration(command, await load()), context);
          else addGroupDefaults(command, summary);
          addCommands(command, outline.subcommands ?? [], context);
        };
      },
    });
  }
};

const requireDeclaration = (
  { line }: MgmtCommand,
  declarations: CommandDeclarations,
): HandwrittenCommand<unknown> => {
  const matchesLine = (commandPath: string): boolean => line === `mgmt ${commandPath}`;
  const commandDeclaration = Object.values(declarations).find(
    (declaration): declaration is HandwrittenCommand<unknown> =>
      "define" in declaration &&
      (matchesLine(declaration.commandPath) || (declaration.hiddenAliases ?? []).some(matchesLine)),
  );
  if (!commandDeclaration) throw new Error(`No declaration has the path of ${line}`);
  return commandDeclaration;
};

const defineCommand = (
  command: MgmtCommand,
  declaration: HandwrittenCommand<unknown>,
  context: Context,
): void => {
  const { description, examples, resultOf, errors = {}, confirms = false, globalOptions } = declaration;
  if (description !== undefined) command.description(description);
  if (resultOf !== undefined) command.resultOf = resultOf;
  command.errors = errors;
  declaration.define(command, context);
  if (globalOptions !== "none") addGlobalOptions(command, { confirms, hidden: globalOptions === "hidden" });
  if (examples) addLineSections(command, { Examples: () => examples });
};

/** Defines a command that only has subcommands. Call it when the command is called: its options take long to make. */
export const addGroupDefaults = (command: MgmtCommand, summary: string): void => {
  command.usage("<command> [options]").summary(summary).description(summary);
  addGlobalOptions(command, { hidden: true });
};
