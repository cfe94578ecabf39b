import { lstat, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { platformErrors } from "../platform-error.js";
import { syncDirectory } from "./atomic-file.js";
import { readOwn } from "./own-file.js";

/** Paths of the files in which earlier versions kept the records. */
export interface OldStateFiles {
  oldState: string;
  oldInitial: string;
}

/** The content of these files, unchecked: the latest records, and those after the first start. */
export interface OldState {
  state: unknown;
  initial: unknown;
}

/** @throws PlatformError `platform:data_dir_corrupt` when a file is missing or is not JSON. */
export const readOldState = async ({ oldState, oldInitial }: OldStateFiles): Promise<OldState> => ({
  state: await readJson(oldState),
  initial: await readJson(oldInitial),
});

/** Returns whether one of the files exists. */
export const hasOldState = async ({ oldState, oldInitial }: OldStateFiles): Promise<boolean> => {
  const found = await Promise.all([oldState, oldInitial].map((file) => lstat(file).catch(() => undefined)));
  return found.some((each) => each !== undefined);
};

/** Removes the files, also after a power failure. Does nothing when there are none. */
export const removeOldState = async ({ oldState, oldInitial }: OldStateFiles): Promise<void> => {
  await rm(oldState, { force: true });
  await rm(oldInitial, { force: true });
  await syncDirectory(dirname(oldState));
};

const readJson = async (file: string): Promise<unknown> => {
  try {
    const value: unknown = JSON.parse(await readOwn(file));
    return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = `${basename(file)} cannot be read (${reason})`;
    throw platformErrors.dataDirCorrupt(dirname(file), what, error);
  }
};
