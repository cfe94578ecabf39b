import { statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

/**
 * Returns whether a program exists, as a path or in a folder of PATH. The system rejects access also to a program that does not
 * exist if a folder of PATH cannot be entered.
 */
export const programExists = (
  program: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): boolean => {
  const folders = program.includes("/") ? [""] : (env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => targetExists(resolve(cwd, folder, program)));
};

/** Returns whether a path exists. A symbolic link does not exist if its target does not. */
const targetExists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder cannot be entered.
    return false;
  }
};
