import { describe, expect, it } from "vitest";
import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { thrown } from "../../test/server.js";
import { type OAuthOptions, readOAuthSettings } from "./oauth-settings.js";

const oauth = { authUrl: "https://auth.test", clientId: "app", redirectUri: "https://app.test/callback" };

describe("an option of a login with a value of the wrong type", () => {
  it.each([
    ["clientSecret", 5, "must be a string"],
    ["redirectUri", ["https://app.test"], "must be a string"],
    ["scopes", "workspace:admin", "must be an array of strings"],
    ["scopes", ["workspace:admin", 5], "must be an array of strings"],
    ["attempt", "state", "must be the attempt that startLogin() returned"],
    ["store", "mgmt.login", "must be a token store, an object with read() and write()"],
    ["store", { read: async () => undefined }, "must be a token store, an object with read() and write()"],
    ["open", "https://app.test", "must be a function"],
    ["endpoints", "https://auth.test/token", "must be a plain object"],
  ])("is refused before anything is sent: %s", async (argument, value, problem) => {
    // JavaScript callers can pass anything.
    const options = { ...oauth, store: memoryStore(), [argument]: value } as never;
    for (const work of [
      async () => startLogin(options),
      async () => finishLogin(options),
      async () => logout(options),
      async () => createAuthenticator(options),
      async () => loginWithLoopback(options),
    ]) {
      expect(await thrown(work())).toMatchObject({
        code: "argument:invalid",
        argument,
        problem,
      });
    }
  });

  it("is refused after its unknown options", async () => {
    const options = { ...oauth, scopes: "all", redirectUrl: "https://app.test" } as never;
    expect(await thrown(startLogin(options))).toMatchObject({ argument: "redirectUrl" });
  });
});

describe("the settings of a login", () => {
  const valid = { authUrl: "https://auth.test", clientId: "app" };
  const endpoints = { authorization: "https://auth.test/a?x=1", token: "https://auth.test/t" };

  it("name the issuer as it was written, and have defaults", () => {
    const transport = { send: async () => Promise.reject(new Error("unused")) };
    const settings = readOAuthSettings({ ...valid, authUrl: "https://AUTH.test/", transport });
    expect(settings).toMatchObject({ issuer: "https://AUTH.test/", clientId: "app", timeoutMs: 15_000 });
    expect([settings.server, settings.clientSecret, settings.usesHttp]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    expect(settings.transport).toBe(transport);
    expect(readOAuthSettings({ ...valid, clientSecret: "s", timeoutMs: 5 })).toMatchObject({
      ...{ clientSecret: "s", timeoutMs: 5 },
    });
  });

  it("have the endpoints of a server without metadata", () => {
    const revocation = "https://auth.test/r";
    expect(readOAuthSettings({ ...valid, endpoints }).server).toEqual({
      ...{
        issuer: "https://auth.test",
        authorization_endpoint: endpoints.authorization,
        token_endpoint: endpoints.token,
      },
    });
    expect(readOAuthSettings({ ...valid, endpoints: { ...endpoints, revocation } }).server).toMatchObject({
      revocation_endpoint: revocation,
    });
  });

  it.each<[Partial<OAuthOptions>, boolean]>([
    [{ authUrl: "http://127.0.0.1:4000" }, true],
    [{ authUrl: "http://auth.test", allowInsecureHttp: true }, true],
    [{ allowInsecureHttp: true }, false],
    [{ endpoints: { ...endpoints, token: "http://[::1]/t" } }, true],
    [{ endpoints }, false],
  ])("with %j allow http: %s", (options, usesHttp) => {
    expect(readOAuthSettings({ ...valid, ...options }).usesHttp).toBe(usesHttp);
  });

  it.each<[Partial<OAuthOptions>, string, string]>([
    [{ clientId: "" }, "clientId", "must not be empty"],
    [{ clientSecret: "" }, "clientSecret", "must not be empty"],
    [{ timeoutMs: 0 }, "timeoutMs", "must be"],
    [{ authUrl: "" }, "authUrl", "is not an absolute URL"],
    [{ authUrl: "auth.test" }, "authUrl", "is not an absolute URL"],
    [{ authUrl: "https://auth.test " }, "authUrl", "is not an absolute URL"],
    [{ authUrl: " https://auth.test" }, "authUrl", "is not an absolute URL"],
    [{ authUrl: "https://auth.test\n" }, "authUrl", "is not an absolute URL"],
    [
      { endpoints: { ...endpoints, authorization: "/a" } },
      "endpoints.authorization",
      "is not an absolute URL",
    ],
    [{ authUrl: "https:\\\\auth.test" }, "authUrl", "is not an absolute URL"],
    [{ authUrl: "http://auth.test" }, "authUrl", "must start with https://"],
    [{ authUrl: "ftp://127.0.0.1" }, "authUrl", "must start with https://"],
    [{ authUrl: "https://ada@auth.test" }, "authUrl", "must not contain credentials"],
    [{ authUrl: "https://:hunter2@auth.test" }, "authUrl", "must not contain credentials"],
    [{ authUrl: "https://auth.test?x=1" }, "authUrl", "must not have a query"],
    [{ authUrl: "https://auth.test#x" }, "authUrl", "must not have a query or a fragment"],
    [{ endpoints: { ...endpoints, token: "https://auth.test/t#x" } }, "endpoints.token", "or a fragment"],
    [
      { endpoints: { ...endpoints, revocation: "http://auth.test/r" } },
      "endpoints.revocation",
      "must start with https://",
    ],
  ])("are refused: %j", (options, argument, problem) => {
    const read = () => readOAuthSettings({ ...valid, ...options });
    expect(read).toThrow(expect.objectContaining({ argument, problem: expect.stringContaining(problem) }));
    expect(read).not.toThrow("hunter2");
  });
});
