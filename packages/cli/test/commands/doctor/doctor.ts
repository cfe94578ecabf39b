import { afterAll, beforeAll } from "vitest";
import { type Account, startAccount } from "../auth/account.js";
import { temporaryFolder } from "../../folders.js";
import type { Result } from "../../result.js";

/** Returns a login that the tests of a file share, and runs `mgmt doctor` with it. Call it outside of tests and hooks. */
export const useDoctor = () => {
  const folder = temporaryFolder();
  let account: Account;
  beforeAll(async () => {
    account = await startAccount({ frozen: false });
    await account.login();
  });
  afterAll(() => account.close());
  return {
    folder,
    get account() {
      return account;
    },
    run: (env: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<Result> =>
      account.run(["doctor", "-o", "json", ...flags], { env, cwd: folder }),
  };
};
