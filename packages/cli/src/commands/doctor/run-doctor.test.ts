import document from "@mgmt/sdk/openapi.json";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, startAccount } from "../../../test/commands/auth/account.js";
import { checksOf } from "../../../test/commands/doctor/checks.js";
import { temporaryFolder } from "../../../test/folders.js";
import type { Result } from "../../../test/result.js";

const folder = temporaryFolder();

const operationCount = Object.values(document.paths).reduce(
  (count, item) =>
    count + Object.keys(item).filter((key) => /^(get|post|put|patch|delete)$/.test(key)).length,
  0,
);

describe("mgmt doctor", () => {
  let account: Account;
  beforeAll(async () => {
    account = await startAccount({ frozen: false });
    await account.login();
  });
  afterAll(() => account.close());

  const doctor = (env: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<Result> =>
    account.run(["doctor", "-o", "json", ...flags], { env, cwd: folder });

  it("reports every check as ok or skipped, and exits with 0", async () => {
    const result = await doctor();
    // A slow machine prints that it waits.
    const errors = result.stderr.split("\n").filter((line) => !line.includes('"request:slow"'));
    expect({ status: result.status, errors }).toEqual({ status: 0, errors: [""] });
    const checks = checksOf(result);
    const { tls, ...others } = checks;
    expect(tls?.status).toBe("skipped");
    expect(Object.entries(others).map(([name, { status }]) => [name, status])).toEqual(
      ["node", "profiles", "link", "profile", "dev", "address", "proxy", "service", "clock", "contract"]
        .concat("keyring", "credential", "defaults")
        .map((name) => [name, "ok"]),
    );
    expect(checks["credential"]?.message).toContain("refreshed automatically");
    expect(checks["contract"]?.message).toContain(`${String(operationCount)} operations`);
  });

  it("prints a line for each check, and no secret", async () => {
    const { stdout } = await account.run(["doctor"], { cwd: folder });
    expect(stdout).toMatch(/^ok +node +Node\.js \d/);
    expect(stdout).toMatch(/^ok +service +Responded in \d+ ms$/m);
    const { login } = account.stored().profiles["default"] ?? {};
    expect(stdout).not.toContain(login?.accessToken);
  });

  it("prints only what --query selects", async () => {
    const { stdout } = await account.run(["doctor", "--query", "[?status=='failure']"], { cwd: folder });
    expect(stdout).toBe("");
  });
});
