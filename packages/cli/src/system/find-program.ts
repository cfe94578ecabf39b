import { join } from "node:path";
import { isProgram, listProgramFolders, buildPathVariables } from "@mgmt/internal/programs/program-files";

/** Returns the absolute path of a program in an absolute folder of PATH, or undefined if there is none that this account can run. */
export const findProgram = (name: string, env: NodeJS.ProcessEnv): string | undefined =>
  listProgramFolders(env)
    .map((folder) => join(folder, toProgramFileName(name)))
    .find(isProgram);

/** Returns the name of the file of a program. */
export const toProgramFileName = (program: string): string =>
  process.platform === "win32" ? `${program}.exe` : program;

/**
 * Returns the environment of a program that this command chooses, rather than the user: without the variables for `mgmt` alone, and with
 * the absolute folders of PATH, where the program finds those that it runs itself.
 */
export const buildProgramEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...buildInheritedEnvironment(env),
  ...buildPathVariables(env),
});

/** Returns the environment that a program of the user inherits: without the variables of this command, one of which is a token. */
export const buildInheritedEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^MGMT_/i.test(name)));
