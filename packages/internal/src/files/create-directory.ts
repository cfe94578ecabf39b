import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readErrorCode } from "../errors/error-code.js";

/**
 * Creates a directory and its missing parents. Unlike `mkdirSync` with `recursive`, it fails instead of looping forever where nothing
 * can be created, such as in `/proc`.
 *
 * @param mode permissions of new folders.
 * @returns true when the directory is new.
 * @throws the error of the file system.
 */
export const createDirectory = (path: string, mode = 0o700): boolean => {
  try {
    return createSingleDirectory(path, mode);
  } catch (error) {
    if (!isMissingError(error) || dirname(path) === path) throw error;
    createDirectory(dirname(path), mode);
    return createSingleDirectory(path, mode);
  }
};

const createSingleDirectory = (path: string, mode: number): boolean => {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (!isMissingError(error) && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
};

const isMissingError = (error: unknown): boolean => readErrorCode(error) === "ENOENT";
