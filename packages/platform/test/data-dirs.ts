import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { chooseEphemeralParent } from "../src/machine/data-dir/directories.js";
import { type Platform, PlatformError, startPlatform } from "../src/index.js";
import { temporaryDirectory } from "./cluster.js";

/** The directory that has the data directories of the tests of a file, which calls `useRoot`. */
export let root: string;

export const useRoot = (): void => {
  beforeAll(async () => {
    root = await temporaryDirectory(await chooseEphemeralParent());
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
};

/** @param dataDir name of a data directory, which is created if it does not exist. */
export const start = (dataDir: string, port = 0): Promise<Platform> =>
  startPlatform({ port, dataDir: join(root, dataDir) });

/** Returns the error of a start that must fail. */
export const failure = async (dataDir: string, port = 0): Promise<PlatformError> => {
  const outcome = await start(dataDir, port).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(PlatformError);
  return outcome as PlatformError;
};
