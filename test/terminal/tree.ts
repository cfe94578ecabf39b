import { allCommands } from "../../packages/cli/test/program.js";
import type { CommandDefinition } from "../../packages/cli/src/contract/command-definition.js";
import type { MgmtCommand } from "../../packages/cli/src/command-line/command.js";

/** A command that can be typed, also if the help does not show it. */
export interface TypedCommand {
  /** Its words, starting with `mgmt`. */
  readonly line: string;
  /** Whether it only has commands below it. */
  readonly isGroup: boolean;
  /** The operation that it is the command of. */
  readonly operation: CommandDefinition | undefined;
  /** Whether it sends a request that creates or starts something. */
  readonly creates: boolean;
  /** Whether it can wait for something. */
  readonly waits: boolean;
}

/** Returns every command, with those that are hidden, in the order of the help. */
export const typedCommands = async (): Promise<TypedCommand[]> => (await allCommands()).map(typed);

const typed = (command: MgmtCommand): TypedCommand => {
  const { line, definition, options } = command;
  return {
    line,
    isGroup: command.usage().startsWith("<command>"),
    operation: definition,
    creates: definition?.method === "POST",
    waits: options.some(({ long }) => long === "--wait" || long === "--timeout"),
  };
};
