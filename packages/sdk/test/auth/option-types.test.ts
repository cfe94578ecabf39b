import { describe, expect, it } from "vitest";
import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { thrown } from "../server.js";

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
