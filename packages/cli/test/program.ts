import manifest from "../package.json";
import type { Context } from "../src/input/context.js";
import { Output } from "../src/output/output.js";
import type { MgmtCommand } from "../src/command-line/command.js";
import { buildProgram } from "../src/commands/program.js";
import { collectCommands } from "../src/command-line/describe-command.js";

/** Returns the command line as it is before a command is called. */
export const undefinedCommands = (): MgmtCommand => {
  const context = { version: manifest.version, output: new Output("table"), env: {}, cwd: "/" };
  // Defining commands uses no more of a run.
  return buildProgram(context as Partial<Context> as Context);
};

/** Returns every command, with those that the help does not show, defined. */
export const allCommands = (): Promise<MgmtCommand[]> => commandsBelow(undefinedCommands());

const commandsBelow = async (command: MgmtCommand): Promise<MgmtCommand[]> => {
  await command.define();
  const inner = await Promise.all(command.commands.map(commandsBelow));
  return [command, ...inner.flat()];
};

/** Returns every command that the help shows, defined. */
export const definedCommands = (): Promise<MgmtCommand[]> => collectCommands(undefinedCommands());
