import { allCommands } from "../../packages/cli/test/program.js";
import type { GeneratedCommand } from "../../packages/cli/src/contract/generated-command.js";

/** A command that can be typed, also if the help does not show it. */
export interface TypedCommand {
  /** Its words, starting with `mgmt`. */
  readonly line: string;
  /** Whether it only has commands below it. */
  readonly isGroup: boolean;
  /** The operation that it is the command of. */
  readonly operation: GeneratedCommand | undefined;
}

/** Returns every command, with those that are hidden, in the order of the help. */
export const typedCommands = async (): Promise<TypedCommand[]> =>
  (await allCommands()).map((command) => ({
    line: command.line,
    isGroup: command.usage().startsWith("<command>"),
    operation: command.definition,
  }));
