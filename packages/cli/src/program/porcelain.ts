import type { Context } from "../context.js";
import type { MgmtCommand } from "./command.js";
import { addGlobalOptions } from "./global-options.js";

/** Adds the description, arguments, options, examples and action of a command. */
export type DefineCommand = (command: MgmtCommand, context: Context) => void;

/** A command that is not generated from an operation of the contract. */
export interface PorcelainCommand {
  readonly name: string;
  readonly summary: string;
  /** Section of the overview, for commands directly below `mgmt`. */
  readonly heading?: string;
  readonly alias?: string;
  readonly hidden?: boolean;
  /**
   * Loads the definition when the command is called or its help is shown, so that the start of other commands does not
   * load it. Absent for a group, which only has subcommands.
   */
  readonly load?: () => Promise<DefineCommand>;
  readonly subcommands?: readonly PorcelainCommand[];
}

/** Adds commands by name and summary, which is all that the overview and completion need. The rest is defined on demand. */
export const addPorcelain = (
  parent: MgmtCommand,
  commands: readonly PorcelainCommand[],
  context: Context,
): void => {
  for (const { name, summary, heading, alias, hidden = false, load, subcommands = [] } of commands) {
    const command = parent.command(name, { hidden }).summary(summary);
    if (heading !== undefined) command.helpGroup(heading);
    if (alias !== undefined) command.alias(alias);
    if (!load) addGroupDefaults(command, summary);
    command.onDefine = async () => {
      const define = await load?.();
      define?.(command, context);
      addPorcelain(command, subcommands, context);
    };
  }
};

/** Defines a command that only has subcommands. */
export const addGroupDefaults = (command: MgmtCommand, summary: string): void => {
  command.usage("<command> [options]").summary(summary).description(summary);
  addGlobalOptions(command, { hidden: true });
};
