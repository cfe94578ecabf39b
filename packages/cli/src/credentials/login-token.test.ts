import { describe, expect, it } from "vitest";
import { useAccount } from "../../test/commands/auth/account.js";
import { startCannedServer } from "../../test/canned-server.js";
import { oauthClientId } from "../sdk/oauth.js";

const account = useAccount();

/** Starts an authorization server at an address that is not loopback, and stores a login of it that has expired. */
const startAuthorizationServer = async (): Promise<{ paths: (string | undefined)[]; close: () => void }> => {
  const paths: (string | undefined)[] = [];
  let issuer = "";
  const { env, close } = await startCannedServer(({ url }) => {
    paths.push(url);
    const token = {
      access_token: "new-token",
      token_type: "Bearer",
      expires_in: 3_600,
      refresh_token: "new",
    };
    return { body: url === "/token" ? token : { issuer, token_endpoint: `${issuer}/token` } };
  });
  issuer = String(env["MGMT_BASE_URL"]).replace("127.0.0.1", "0.0.0.0");
  account.store(({ profiles }) => {
    profiles["default"] = {
      ...{ baseUrl: account.server.baseUrl, authUrl: issuer },
      login: {
        ...{ accessToken: "old-token", refreshToken: "old", expiresAt: Date.now() - 1_000 },
        ...{ issuer, clientId: oauthClientId, scopes: ["workspace:admin"] },
      },
    };
  });
  return { paths, close };
};

describe("a login of an http: address of another machine", () => {
  it("is refreshed with --insecure", async () => {
    const { close } = await startAuthorizationServer();
    const { status, stdout } = await account.mgmt`auth token --profile default --insecure`;
    close();
    expect({ status, stdout }).toEqual({ status: 0, stdout: "new-token\n" });
  });

  it("is not refreshed without it, and nothing is sent", async () => {
    const { paths, close } = await startAuthorizationServer();
    const { status, stdout } = await account.mgmt`auth token --profile default`;
    close();
    expect({ stdout, paths }).toEqual({ stdout: "", paths: [] });
    expect(status).toBe(2);
  });
});
