import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Account, startAccount } from "./commands/auth/account.js";
import { temporaryFolder } from "./folders.js";
import type { Setup } from "./in-process.js";
import type { Result } from "./result.js";

/** A folder, and a project with a default database, both new for each test, of an account that is logged in. */
export interface ShopFolder {
  readonly account: Account;
  readonly folder: string;
  readonly projectId: string;
  readonly databaseId: string;
  /** Runs a command line in the folder, with the project as the default one. */
  run(line: string, setup?: Setup): Promise<Result>;
}

/**
 * Returns the folder of the present test. Call it outside of tests and hooks.
 *
 * @param name returns the name of a project, given that of its folder. Default: `shop`.
 */
export const useShopFolder = (name: (folder: string) => string = () => "shop"): (() => ShopFolder) => {
  const root = temporaryFolder();
  let account: Account | undefined;
  let current: ShopFolder | undefined;
  beforeAll(async () => {
    account = await startAccount();
    await account.login();
  });
  afterAll(() => account?.close());
  beforeEach(async () => {
    if (!account) throw new Error("The account was not started");
    const owner = account;
    const folder = mkdtempSync(join(root, "app-"));
    const { id, database } = await owner.server.engine.seed.project({ name: name(folder) });
    current = {
      account: owner,
      folder,
      projectId: id,
      databaseId: database?.id ?? "",
      run: (line, setup = {}) =>
        owner.run(line.split(" "), { cwd: folder, ...setup, env: { MGMT_PROJECT_ID: id, ...setup.env } }),
    };
  });
  return () => {
    if (!current) throw new Error("There is no folder outside of a test");
    return current;
  };
};
