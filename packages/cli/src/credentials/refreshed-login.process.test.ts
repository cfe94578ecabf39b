import { chmodSync, readFileSync, statSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import type { Result } from "../../test/result.js";
import { run } from "../../test/terminal.js";
import { useAccount } from "../../test/commands/auth/account.js";

const account = useAccount();
beforeAll(ensureBuilt);

/** Makes the stored access token look expired. */
const expireToken = (): void =>
  account.store(({ profiles }) => {
    const login = profiles["default"]?.login;
    if (login) Object.assign(login, { expiresAt: Date.now() - 1_000 });
  });
const refreshes = (): number =>
  account.server.engine.requests.filter(({ operationId }) => operationId === "oauth.token").length;
/** Runs the built command in a separate process. */
const spawned = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  run(line.split(" "), { env: { ...account.env, ...env } });
const loginOf = (name = "default"): { accessToken: string; refreshToken?: string } =>
  account.stored().profiles[name]?.login ?? { accessToken: "none" };

describe("a login with an expired access token", () => {
  it("is refreshed by the command and stored", async () => {
    await account.login();
    const before = loginOf();
    expireToken();
    const { status, stderr } = await account.mgmt`projects list -o json`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(loginOf().accessToken).not.toBe(before.accessToken);
    expect(loginOf().refreshToken).not.toBe(before.refreshToken);
    expect(statSync(account.file).mode & 0o777).toBe(0o600);
    expect((await account.mgmt`auth token`).stdout).toBe(`${loginOf().accessToken}\n`);
  });

  it("is refreshed once by concurrent processes", async () => {
    await account.login();
    expireToken();
    const before = refreshes();
    const runs = await Promise.all(Array.from({ length: 4 }, () => spawned("projects list -o json")));
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    expect(refreshes() - before).toBe(1);
  });

  it("asks for a new login when the server rejects the refresh token", async () => {
    await account.login();
    expireToken();
    account.store(({ profiles }) =>
      Object.assign(profiles["default"]?.login ?? {}, { refreshToken: "no-more" }),
    );
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("mgmt login") });
    expect(stderr).not.toContain("no-more");
    expect(account.stored().profiles["default"]).toMatchObject({ baseUrl: account.server.baseUrl });
  });

  it("is not changed when the file is read-only, and its refresh token is not used", async () => {
    await account.login();
    expireToken();
    chmodSync(account.file, 0o400);
    const before = readFileSync(account.file, "utf8");
    const { status, stderr } = await account.mgmt`projects list`;
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("profiles:unwritable") });
    expect(readFileSync(account.file, "utf8")).toBe(before);
    chmodSync(account.file, 0o600);
    expect((await account.mgmt`projects list`).status).toBe(0);
  });

  it("is not changed when the authorization server cannot be reached", async () => {
    await account.login();
    expireToken();
    await account.server.close(0);
    const before = readFileSync(account.file, "utf8");
    const { status, stderr } = await account.mgmt`projects list`;
    expect(stderr).toMatch(/auth:(refresh|discovery)_failed/);
    expect(status).toBe(9);
    expect(readFileSync(account.file, "utf8")).toBe(before);
  });
});
