import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../errors/platform-error.js";

/**
 * Creates a directory and its missing parents. Unlike `mkdir` with `recursive`, it fails instead of looping forever where
 * nothing can be created, such as in `/proc`.
 *
 * @returns true when the directory is new.
 */
export const makeDirectory = async (path: string, mode: number): Promise<boolean> => {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    return makeOne(path, mode);
  }
};

const makeOne = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") throw error;
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return false;
    throw error;
  }
};
