import { type RunningServer, controlSecretHeader, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OAuthApi, challenge, cli, verifier } from "../../test/oauth/oauth-api.js";

describe("the control surface for the authorization server", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ controlSecret: "control", engineOptions: { deterministic: "control" } });
  });
  afterAll(() => server.close());

  const control = async (path: string, body: unknown, secret = "control") => {
    const response = await fetch(`${server.baseUrl}/_control/oauth/${path}`, {
      method: "POST",
      headers: { [controlSecretHeader]: secret, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // Every response of the control surface is an object.
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it("registers a client and completes a consent, whose code the token endpoint accepts", async () => {
    const { body: client } = await control("clients", {
      redirectUris: ["https://app.example/cb"],
      confidential: true,
    });
    const { status, body } = await control("consent", {
      client: client["id"],
      codeChallenge: challenge,
      state: "s",
    });
    expect(status).toBe(200);
    const redirect = new URL(String(body["redirect"]));
    expect([redirect.origin, redirect.searchParams.get("state")]).toEqual(["https://app.example", "s"]);
    const response = await fetch(`${server.baseUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: String(client["id"]),
        client_secret: String(client["secret"]),
        code_verifier: verifier,
        code: String(body["code"]),
      }),
    });
    expect(await response.json()).toMatchObject({ token_type: "Bearer", scope: "workspace:admin" });
  });

  it("returns a denial", async () => {
    const { body } = await control("deny", { ...cli, codeChallenge: challenge });
    expect(new URL(String(body["redirect"])).searchParams.get("error")).toBe("access_denied");
  });

  it.each([
    ["clients", {}, 400],
    ["clients", { redirectUris: "https://app.example/cb" }, 400],
    ["clients", { redirectUris: [7] }, 400],
    ["clients", { redirectUris: [], confidential: true }, 400],
    ["clients", { redirectUris: ["https://app.example/cb"], confidential: "yes" }, 400],
    ["clients", { redirectUris: ["https://app.example/cb"], name: 7 }, 400],
    ["clients", { redirectUris: ["http://app.example/cb"] }, 400],
    ["clients", { redirectUris: ["https://app.example/cb"], id: cli.client }, 409],
    ["consent", { client: 7 }, 400],
    ["consent", { client: "itgr_nobody" }, 400],
    ["consent", { ...cli, codeChallenge: challenge, user: "usr_nobody" }, 404],
    ["deny", { ...cli }, 400],
  ])("refuses POST %s with %j: %i", async (path, body, status) => {
    expect((await control(path, body)).status).toBe(status);
  });

  it.each([
    [{ redirectUris: [] }, "redirectUris must not be empty"],
    [
      { redirectUris: ["https://app.example/cb"], confidential: false, secret: "planted" },
      "A client that is not confidential has no secret",
    ],
  ])("registers no client with %j", async (registration, message) => {
    const before = await server.engine.snapshot();
    const { status, body } = await control("clients", registration);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: expect.objectContaining({ message, hint: expect.any(String) }) },
    });
    expect(JSON.stringify(body)).not.toContain("planted");
    expect((await server.engine.snapshot()).store).toEqual(before.store);
    await expect(server.engine.oauth.registerClient(registration)).rejects.toMatchObject({ message });
  });

  it("refuses requests without its secret", async () => {
    const { status } = await control("consent", { ...cli, codeChallenge: challenge }, "wrong");
    expect(status).toBe(403);
  });
});

describe("a defect of the authorization server", () => {
  it("is reported to the operator, and to the client without details (RFC 6749, section 4.1.2.1)", async () => {
    const api = await OAuthApi.open();
    Object.assign(api.engine.settings.oauth, { accessToken: Number.NaN });
    const { status, json } = await api.redeem(await api.code());
    expect([status, json["error"]]).toEqual([500, "server_error"]);
    expect(api.defects).toHaveLength(1);
  });
});
