import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "./platform-error.js";

/**
 * Makes a directory and those above it. (Node's own `recursive` tries for ever where the system says that nothing can be
 * made, as in `/proc`.)
 *
 * @returns whether it is new.
 */
export const makeDirectory = async (path: string, mode: number): Promise<boolean> => {
  try {
    return await makeLast(path, mode);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    return makeLast(path, mode);
  }
};

const makeLast = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") throw error;
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return false;
    throw error;
  }
};
