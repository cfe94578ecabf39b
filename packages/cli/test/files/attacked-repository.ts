import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Account, startAccount } from "../commands/auth/account.js";
import { temporaryFolder } from "../folders.js";
import type { Result } from "../result.js";

/** Returns folders that are new for each test, and runs commands in one of them. Call it outside of tests and hooks. */
export const useAttackedRepository = () => {
  const root = temporaryFolder();
  let account: Account;
  let projectId: string;
  let repository: string;
  let home: string;
  beforeAll(async () => {
    account = await startAccount();
    await account.login();
    projectId = (await account.server.engine.seed.project()).id;
  });
  afterAll(() => account.close());
  beforeEach(() => {
    repository = mkdtempSync(join(root, "repository-"));
    home = mkdtempSync(join(root, "home-"));
    writeFileSync(join(home, ".bashrc"), "export A=1\n");
  });
  return {
    get account() {
      return account;
    },
    get projectId() {
      return projectId;
    },
    /** A folder with somebody else's repository. */
    get repository() {
      return repository;
    },
    /** A folder that the repository must not reach. */
    get home() {
      return home;
    },
    run: (line: string): Promise<Result> =>
      account.run(line.split(" "), {
        cwd: repository,
        env: { MGMT_PROJECT_ID: projectId, PATH: process.env["PATH"] },
      }),
    expectHomeUnchanged: (): void => {
      expect(readdirSync(home)).toEqual([".bashrc"]);
      expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("export A=1\n");
    },
  };
};
