import manifest from "../package.json";
import type { Context } from "../src/context.js";
import { Output } from "../src/output/output.js";
import type { MgmtCommand } from "../src/program/command.js";
import { buildProgram } from "../src/program/program.js";
import { everyCommand } from "../src/program/describe-command.js";

/** Returns every command that the help shows, defined. */
export const definedCommands = (): Promise<MgmtCommand[]> => {
  const context = { version: manifest.version, output: new Output("table"), env: {}, cwd: "/" };
  // Defining commands uses no more of a run.
  return everyCommand(buildProgram(context as Partial<Context> as Context));
};
