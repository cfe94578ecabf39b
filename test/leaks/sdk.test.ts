import { createClient } from "@mgmt/sdk";
import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { nodeTransport } from "@mgmt/sdk/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EchoServer, startEchoServer } from "./echo-server.js";
import { printsOf } from "./errors.js";
import { leaksOf } from "./verdict.js";
import { Witness } from "./witness.js";

const clientId = "itgr_mgmtcommandlineinterface";
const redirectUri = "http://127.0.0.1/callback";
const nowhere = "http://127.0.0.1:1";

let witness: Witness;
let echo: EchoServer;
beforeAll(async () => {
  witness = await Witness.start();
  echo = await startEchoServer();
});
afterAll(async () => {
  await witness.close();
  echo.close();
});

const stray = (): string => witness.stray();

/** A login of the SDK, with everything of it on the list. */
const sdkLogin = async () => {
  const oauth = { authUrl: witness.ready.baseUrl, clientId };
  const { url, attempt } = await startLogin({ ...oauth, redirectUri });
  witness.answer("attempt of a login", { codeVerifier: attempt.codeVerifier });
  const { redirect } = await witness.control<{ redirect: string }>("POST", "/oauth/consent", { url });
  return { oauth, attempt, redirect };
};

describe("secrets show nowhere", { timeout: 120_000 }, () => {
  it("in errors and prints of the SDK", async () => {
    const { baseUrl, token } = witness.ready;
    for (const transport of [undefined, nodeTransport()]) {
      for (const address of [baseUrl, echo.baseUrl, `${echo.baseUrl}/good`, nowhere]) {
        const client = createClient({ baseUrl: address, token: stray(), ...(transport && { transport }) });
        witness.record("print of a client", printsOf(client).join("\n"));
        const body = { name: "x", logicalId: stray() };
        await witness.fails("error of a call", () => client.projects.create(body));
        await witness.fails("error of a list", () => client.projects.list());
        await witness.fails("error of a transfer", () =>
          client.projects.transfer("proj_1", { recipientAccessToken: stray() }),
        );
        await witness.fails("error of a wait", () =>
          client.databases.waitUntilReady("db_1", { timeoutMs: 50 }),
        );
      }
    }
    const client = createClient({ baseUrl, token });
    const created = await client.projects.create({ name: "sdk" });
    witness.answer("answer to the SDK", created);
    const { id = "" } = created.database ?? {};
    await witness.control("PUT", `/databases/${id}/status`, { status: "failure" });
    const last = await witness.fails("error of a wait", () => client.databases.waitUntilReady(id));
    expect(last).toMatchObject({ code: "database:failed" });
    for (const bad of [`${stray()}\n`, `${stray()}\u0000`, `ü${stray()}`]) {
      await witness.fails("error of a token", () => createClient({ baseUrl, token: bad }).me.get());
    }
    for (const bad of [`${stray()}\n${stray()}`, `${stray()}\u0000`]) {
      await witness.fails("error of a header", () => client.me.get({ headers: { "x-secret": bad } }));
    }
    const withPassword = `http://user:${stray()}@127.0.0.1:1`;
    await witness.fails("error of an address", () => createClient({ baseUrl: withPassword }).me.get());
  });

  it("in errors and prints of the SDK's logins and refreshes", async () => {
    const { oauth, attempt, redirect } = await sdkLogin();
    const store = memoryStore();
    const wrong = { ...oauth, attempt: { ...attempt, state: "another" }, callback: redirect };
    await witness.fails("error of a login", () => finishLogin(wrong));
    const endpoints = {
      authorization: `${oauth.authUrl}/authorize`,
      token: `${echo.baseUrl}/token`,
      revocation: `${echo.baseUrl}/revoke`,
    };
    await witness.fails("error of a login", () =>
      finishLogin({ ...oauth, endpoints, attempt, callback: redirect }),
    );
    const html = { ...endpoints, token: `${echo.baseUrl}/html` };
    await witness.fails("error of a login", () =>
      finishLogin({ ...oauth, endpoints: html, attempt, callback: redirect }),
    );
    const credential = await finishLogin({ ...oauth, attempt, callback: redirect, store });
    harvestCredential(credential);
    await witness.fails("error of a used code", () => finishLogin({ ...oauth, attempt, callback: redirect }));

    const expired = { ...credential, expiresAt: Date.now() - 1 };
    for (const server of [endpoints, html, { ...endpoints, token: `${nowhere}/token` }]) {
      const authenticator = createAuthenticator({ ...oauth, endpoints: server, store: memoryStore(expired) });
      const client = createClient({ baseUrl: oauth.authUrl, token: authenticator.token });
      await witness.fails("error of a refresh", () => client.me.get());
      await witness.fails("error of a refresh", () => authenticator.token());
      witness.record("print of an authenticator", printsOf([authenticator, client]).join("\n"));
    }
    await witness.fails("error of a logout", () =>
      logout({
        ...oauth,
        endpoints: { ...endpoints, revocation: `${nowhere}/revoke` },
        store: memoryStore(credential),
      }),
    );
  });

  it("of a confidential client", async () => {
    const { id, secret } = await witness.control<{ id: string; secret: string }>("POST", "/oauth/clients", {
      redirectUris: [redirectUri],
      confidential: true,
    });
    const oauth = { authUrl: witness.ready.baseUrl, clientId: id, clientSecret: secret };
    const { url, attempt } = await startLogin({ ...oauth, redirectUri });
    witness.answer("attempt of a login", { codeVerifier: attempt.codeVerifier });
    const { redirect } = await witness.control<{ redirect: string }>("POST", "/oauth/consent", { url });
    const token = `${echo.baseUrl}/token`;
    const endpoints = { authorization: `${oauth.authUrl}/authorize`, token };
    await witness.fails("error of a confidential client", () =>
      finishLogin({ ...oauth, endpoints, attempt, callback: redirect }),
    );
    const clientSecret = stray();
    await witness.fails("error of a wrong client secret", () =>
      finishLogin({ ...oauth, clientSecret, attempt, callback: redirect }),
    );
  });

  it("in anything that was printed, thrown, logged or listed meanwhile", async () => {
    const { leaks, kinds } = await leaksOf(witness);
    expect(kinds).toEqual(
      expect.arrayContaining([
        "access token",
        "authorization code",
        "client secret",
        "code verifier",
        "connection string",
        "control secret",
        "password",
        "refresh token",
        "stray secret",
        "token",
      ]),
    );
    expect(leaks).toEqual([]);
  });
});

const harvestCredential = ({
  accessToken,
  refreshToken,
}: {
  accessToken: string;
  refreshToken?: string | undefined;
}): void => {
  witness.answer("credential of a login", { accessToken, refreshToken });
};
