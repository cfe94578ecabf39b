import { describe, expect, it } from "vitest";
import type { Login } from "../../sdk/oauth.js";
import { useAccount } from "../../../test/commands/auth/account.js";

const account = useAccount();

/** Logs in to the file, and returns the stored login. */
const loggedIn = async (): Promise<Login> => {
  await account.login();
  // A successful login stores a complete one.
  return account.stored().profiles["default"]?.login as Login;
};

describe("a login over another one", () => {
  const isAccepted = async (accessToken: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await fetch(`${account.server.baseUrl}/v1/me`, { headers })).ok;
  };

  it("revokes the previous one", async () => {
    const previous = await loggedIn();
    const next = await loggedIn();
    expect(await isAccepted(previous.accessToken)).toBe(false);
    expect(await isAccepted(next.accessToken)).toBe(true);
  });

  it("revokes the previous one when a service token replaces it", async () => {
    const { accessToken } = await loggedIn();
    const stdin = await account.server.engine.tokens.service();
    expect((await account.run(["login", "--with-token"], { stdin })).status).toBe(0);
    expect(await isAccepted(accessToken)).toBe(false);
  });

  it("succeeds when the server of the previous one cannot be reached", async () => {
    await loggedIn();
    account.store(({ profiles }) =>
      Object.assign(profiles["default"]?.login ?? {}, { issuer: "http://127.0.0.1:1" }),
    );
    const { status, stderr } = await account.login();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("The previous login could not be revoked"),
    });
    expect((await account.mgmt`whoami`).status).toBe(0);
  });
});
