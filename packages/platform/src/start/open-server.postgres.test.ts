import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "@mgmt/platform";
import { chooseStablePort } from "../machine/ports.js";
import { makeProject, query } from "../../test/api.js";

// A second address of loopback needs Linux.
const host = process.platform === "linux" ? "127.0.0.2" : "127.0.0.1";
const redirectUri = "http://127.0.0.1:8125/callback";
let port: number;
let platform: Platform;
const lines: string[] = [];

beforeAll(async () => {
  port = await chooseStablePort(host);
  platform = await startPlatform({
    ...{ port, host, ephemeral: true },
    connectionsPerDatabase: 1,
    unknownFields: "refuse",
    errorCodes: "public",
    oauthClients: [{ id: "itgr_optionsclient", redirectUris: [redirectUri] }],
    requireSignInKey: false,
    onLog: (line) => lines.push(line),
  });
});
afterAll(async () => {
  await platform.stop();
  expect(lines).toEqual([]);
});

const send = async (path: string, body?: object): Promise<{ status: number; code?: string }> => {
  const { baseUrl, token } = platform.ready;
  const response = await fetch(`${baseUrl}/v1${path}`, {
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  const { error }: { error?: { code: string } } = await response.json();
  return { status: response.status, ...error };
};

describe("each option has its effect:", () => {
  it("port and host", () => {
    expect(platform.ready.baseUrl).toBe(`http://${host}:${String(port)}`);
  });

  it("unknownFields", async () => {
    expect(await send("/projects", { name: "shop", nmae: "shop" })).toMatchObject({ status: 422 });
  });

  it("errorCodes", async () => {
    const { status, code } = await send("/projects/proj_none");
    expect(status).toBe(404);
    // The contract's codes have a colon.
    expect(code).toMatch(/^[a-z-]+$/);
  });

  it("requireSignInKey", () => {
    expect([platform.signInKey, platform.ready.signInKeyFile]).toEqual([null, null]);
  });

  it("oauthClients", async () => {
    const { authUrl } = platform.ready;
    const metadata = await fetch(`${authUrl}/.well-known/oauth-authorization-server`);
    const { authorization_endpoint: endpoint }: { authorization_endpoint: string } = await metadata.json();
    const statusOf = async (client: string): Promise<number> => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: client,
        redirect_uri: redirectUri,
        scope: "workspace:admin",
        state: "state",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        code_challenge_method: "S256",
      });
      const { status } = await fetch(`${endpoint}?${String(query)}`, { redirect: "manual" });
      return status;
    };
    expect(await statusOf("itgr_optionsclient")).toBeLessThan(400);
    expect(await statusOf("itgr_unknownclient")).toBe(400);
  });

  it("connectionsPerDatabase", async () => {
    const { database } = await makeProject(platform.ready);
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({ code: "53300" });
    await client.end();
  });
});
