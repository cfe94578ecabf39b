import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Result } from "../../result.js";
import { type Account, startAccount } from "./account.js";

/**
 * An account, a folder for its commands, and the link file of the folder, which does not exist. Each test of a file that calls
 * `useFolder` has its own.
 */
export let account: Account;
export let folder: string;
export let file: string;

export const useFolder = (): void => {
  beforeEach(async () => {
    account = await startAccount();
    folder = mkdtempSync(join(tmpdir(), "mgmt-linked-"));
    file = join(folder, ".mgmt/link.json");
    mkdirSync(join(folder, "below/it"), { recursive: true });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await account.close();
  });
};

/** Runs a line in the folder, or in a folder below it. */
export const inFolder = (line: string, env: NodeJS.ProcessEnv = {}, below = ""): Promise<Result> =>
  account.run(line.split(" "), { cwd: join(folder, below), env });

/** Returns the content of the link file. */
export const linked = (): unknown => JSON.parse(readFileSync(file, "utf8"));

/** Writes the link file. */
export const write = (text: string): void => {
  mkdirSync(join(folder, ".mgmt"), { recursive: true });
  writeFileSync(file, text);
};
