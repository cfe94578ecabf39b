import {
  type TokenStorage,
  createManagementApiClient,
  createManagementApiSdk,
} from "@prisma/management-api-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";

let server: RunningServer;

beforeAll(async () => {
  server = await createServer();
});
afterAll(() => server.close());

const memoryStorage = (): TokenStorage => {
  let stored: Awaited<ReturnType<TokenStorage["getTokens"]>> = null;
  return {
    getTokens: () => Promise.resolve(stored),
    setTokens: (tokens) => Promise.resolve(void (stored = tokens)),
    clearTokens: () => Promise.resolve(void (stored = null)),
  };
};

describe("a published program that contains a client id without prefix", () => {
  it("logs in on a loopback port of its choice, and refreshes its token", async () => {
    const clientId = "cmm3lndn701oo0uefvxpyy6gr";
    const { oauth, clock } = server.engine;
    await oauth.ensurePublicClient({ id: clientId, redirectUris: ["http://localhost/auth/callback"] });
    const { client, getLoginUrl, handleCallback } = createManagementApiSdk({
      clientId,
      redirectUri: "http://localhost:46825/auth/callback",
      tokenStorage: memoryStorage(),
      apiBaseUrl: server.baseUrl,
      authBaseUrl: server.engine.settings.authUrl,
    });

    const { url, state, verifier } = await getLoginUrl({
      scope: "workspace:admin offline_access",
      additionalParams: { utm_source: "cli" },
    });
    const { redirect } = await oauth.consent({ url });
    await handleCallback({ callbackUrl: redirect, verifier, expectedState: state });

    expect((await client.GET("/v1/projects")).response.status).toBe(200);
    await clock.advance(2 * 3_600_000);
    expect((await client.GET("/v1/projects")).response.status).toBe(200);
  });
});

describe("a published program that creates a database", () => {
  it("finds the connection string at the endpoints of the first connection", async () => {
    const { tokens, seed } = server.engine;
    const client = createManagementApiClient({ baseUrl: server.baseUrl, token: await tokens.user() });
    const { id: projectId } = await seed.project({ name: "shop" });
    const { data } = await client.POST("/v1/databases", { body: { projectId, source: { type: "empty" } } });
    const [connection] = data?.data.connections ?? [];
    expect(connection?.endpoints.direct?.connectionString).toMatch(/^postgres:\/\/[^:]+:[^@]+@[^/]+\//);
  });
});
