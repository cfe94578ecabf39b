import { inspect } from "node:util";
import { createClient, isApiError } from "@mgmt/sdk";
import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { nodeTransport } from "@mgmt/sdk/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EchoServer, startEchoServer } from "./echo-server.js";
import { printsOf } from "./print-forms.js";
import { leaksOf } from "./leaks-of.js";
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

/** Starts a login with the SDK and adds its secrets to the canaries. */
const sdkLogin = async () => {
  const oauth = { authUrl: witness.ready.baseUrl, clientId };
  const { url, attempt } = await startLogin({ ...oauth, redirectUri });
  witness.recordResponse("attempt of a login", { codeVerifier: attempt.codeVerifier });
  const { redirect } = await witness.control<{ redirect: string }>("POST", "/oauth/consent", { url });
  return { oauth, attempt, redirect };
};

describe("the SDK", { timeout: 120_000 }, () => {
  it("leaks no secret in errors and printed objects", async () => {
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
    witness.recordResponse("response to the SDK", created);
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

  it("leaks no secret in errors and printed objects of logins and refreshes", async () => {
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
    // The same callback would share the result of the login before.
    const again = `${redirect}&again=1`;
    await witness.fails("error of a used code", () => finishLogin({ ...oauth, attempt, callback: again }));

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

  it("leaks no secret in errors of a confidential client", async () => {
    const { id, secret } = await witness.control<{ id: string; secret: string }>("POST", "/oauth/clients", {
      redirectUris: [redirectUri],
      confidential: true,
    });
    const oauth = { authUrl: witness.ready.baseUrl, clientId: id, clientSecret: secret };
    const { url, attempt } = await startLogin({ ...oauth, redirectUri });
    witness.recordResponse("attempt of a login", { codeVerifier: attempt.codeVerifier });
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

  it("leaks no secret in the debug log", async () => {
    const { baseUrl, token, workspaceId } = witness.ready;
    const lines: string[] = [];
    const debug = (line: string): void => void lines.push(line);
    const { oauth, attempt, redirect } = await sdkLogin();
    const store = memoryStore();
    harvestCredential(await finishLogin({ ...oauth, attempt, callback: redirect, store }));
    const authenticator = createAuthenticator({ ...oauth, store });
    for (const transport of [undefined, nodeTransport()]) {
      const more = { debug, ...(transport && { transport }) };
      await createClient({ baseUrl, token: authenticator.token, ...more }).me.get();
      const client = createClient({ baseUrl, token, ...more });
      const project = await client.projects.create({ name: "debugged-in-a-name" });
      const { id: database = "", defaultConnectionId } = project.database ?? {};
      const responses: unknown[] = [
        project,
        await client.databases.get(database),
        await client.databases.connections.create(database, { name: "web" }),
        await client.connections.rotate(defaultConnectionId ?? ""),
        await client.connections.list(),
        await client.workspaces.serviceTokens.create(workspaceId, { name: "ci" }),
      ];
      const { id: service } = await client.services.create({ projectId: project.id, displayName: "web" });
      responses.push(await client.services.deployments.create(service, {}));
      for (const response of responses) witness.recordResponse("response to the SDK", response);
      const recipientAccessToken = await witness.token("other-user");
      await client.projects.transfer(project.id, { recipientAccessToken });
      for (const address of [echo.baseUrl, `${echo.baseUrl}/good`, nowhere]) {
        const refused = createClient({ baseUrl: address, token: stray(), maxRetries: 0, ...more });
        const body = { recipientAccessToken: stray() };
        await witness.fails("error of a call", () => refused.projects.transfer(project.id, body));
      }
    }
    witness.record("debug log", lines.join("\n"));
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.join()).toContain('"authorization":"[redacted]"');
    expect(witness.placesOf("debugged-in-a-name")).toContain("debug log");
  });

  it("leaks no secret in errors about a secret in a path", async () => {
    const { baseUrl, token } = witness.ready;
    const misplaced = [stray(), await witness.token("agent")];
    for (const secret of [...misplaced, ...misplaced.map((each) => encodeURIComponent(`${each}/`))]) {
      for (const path of [
        `/v1/projects/${secret}`,
        `/v1/projects/${secret}/transfer`,
        `/v1/${secret}`,
        `/${secret}`,
        `/uploads/${secret}`,
      ]) {
        for (const method of ["GET", "PUT", "DELETE"]) {
          const headers = { authorization: `Bearer ${token}` };
          const response = await fetch(baseUrl + path, { method, headers });
          expect(response.status).toBeGreaterThanOrEqual(400);
          witness.record("error of a path", `${inspect([...response.headers])} ${await response.text()}`);
        }
      }
    }
  });

  it("leaks no secret in errors about a secret in a query", async () => {
    const { baseUrl } = witness.ready;
    const token = await witness.token("user");
    const queries: [string, string, number][] = [
      ["GET", `/v1/me?access_token=${token}`, 401],
      ["GET", `/v1/projects?cursor=${stray()}&limit=${stray()}`, 401],
      ["POST", `/token?grant_type=refresh_token&refresh_token=${stray()}&client_secret=${stray()}`, 401],
      ["GET", `/token?code=${stray()}`, 405],
      ["POST", `/revoke?token=${stray()}`, 401],
      ["GET", `/authorize?client_id=${stray()}&redirect_uri=${redirectUri}&state=${stray()}`, 400],
      // The page that asks for the sign-in key.
      ["GET", `/approvals/apr_none?token=${stray()}`, 200],
    ];
    for (const [method, path, status] of queries) {
      const body = method === "POST" ? new URLSearchParams() : undefined;
      const response = await fetch(baseUrl + path, { method, ...(body && { body }) });
      expect([path.split("?")[0], response.status]).toEqual([path.split("?")[0], status]);
      witness.record("error of a query", `${inspect([...response.headers])} ${await response.text()}`);
    }
    const headers = { authorization: `Bearer ${token}` };
    const refused = await fetch(`${baseUrl}/v1/projects?cursor=${stray()}&limit=${stray()}`, { headers });
    expect(refused.status).toBe(422);
    witness.record("error of a query", await refused.text());
  });

  it("leaks no secret in errors of an agent that waits for approval", async () => {
    const { baseUrl, token: owner } = witness.ready;
    const token = await witness.token("agent");
    const agent = createClient({ baseUrl, token });
    const made = await createClient({ baseUrl, token: owner }).projects.create({ name: "waiting" });
    witness.recordResponse("response to the SDK", made);
    const required = await witness.fails("error of a gated call", () => agent.projects.delete(made.id));
    if (!isApiError(required, "approval_required")) throw required;
    const { approvalId } = required;
    const wait =
      (of = agent, id = approvalId, timeoutMs = 50): (() => Promise<unknown>) =>
      () =>
        of.agentApprovals.wait(id, {
          timeoutMs,
          onProgress: (approval) => witness.record("progress of an approval", printsOf(approval).join("\n")),
        });
    const where = "error of a wait for an approval";
    await witness.fails(where, wait());
    await witness.fails(where, wait(createClient({ baseUrl, token: owner })));
    await witness.fails(where, wait(createClient({ baseUrl, token: stray() })));
    await witness.fails(where, wait(agent, "apr_none"));
    for (const other of [echo.baseUrl, `${echo.baseUrl}/good`, nowhere]) {
      await witness.fails(where, wait(createClient({ baseUrl: other, token: stray() })));
    }
    const waiting = createClient({ baseUrl, token, waitForApproval: { timeoutMs: 50 } });
    await witness.fails(where, () => waiting.projects.delete(made.id));
    const body = { recipientAccessToken: await witness.token("other-user") };
    await witness.fails(where, () => waiting.projects.transfer(made.id, body));
    await witness.control("POST", `/approvals/${approvalId}/deny`);
    await witness.fails(where, wait(agent, approvalId, 5_000));
    await witness.fails(where, () => waiting.projects.delete(made.id));
    expect(witness.placesOf(approvalId)).toEqual(
      expect.arrayContaining(["error of a gated call", where, "progress of an approval"]),
    );
  });

  it("leaks no secret on the last page of a login, whatever the server sends", async () => {
    const where = "closing page";
    const oauth = { authUrl: witness.ready.baseUrl, clientId };
    /** Sends to the real server or to another token endpoint, and adds the secrets sent to the canaries. */
    const fetchOver =
      (tokenUrl?: string): typeof fetch =>
      (input, init) => {
        const url = String(input);
        const verifier = new URLSearchParams(String(init?.body ?? "")).get("code_verifier");
        if (verifier !== null) witness.recordResponse("token request", { codeVerifier: verifier });
        return fetch(tokenUrl !== undefined && url.endsWith("/token") ? tokenUrl : url, init);
      };
    const end = async (tokenUrl: string | undefined, change: (redirect: string) => string): Promise<void> => {
      const visit = async (url: string): Promise<void> => {
        const { redirect } = await witness.control<{ redirect: string }>("POST", "/oauth/consent", { url });
        const response = await fetch(change(redirect));
        witness.record(where, `${inspect([...response.headers])} ${await response.text()}`);
      };
      let visited = Promise.resolve();
      const open = (url: string): Promise<void> => (visited = visit(url));
      await loginWithLoopback({ ...oauth, open, fetch: fetchOver(tokenUrl) }).then(
        harvestCredential,
        (error: unknown) => witness.record("error of a login", printsOf(error).join("\n")),
      );
      await visited;
    };
    await end(undefined, (redirect) => redirect);
    for (const tokenUrl of [
      `${echo.baseUrl}/token`,
      `${echo.baseUrl}/html`,
      `${echo.baseUrl}/good`,
      `${nowhere}/token`,
    ]) {
      await end(tokenUrl, (redirect) => redirect);
    }
    await end(undefined, (redirect) => redirect.replace(/code=[^&]+/, `code=${stray()}`));
    await end(undefined, (redirect) => redirect.replace(/iss=[^&]+/, `iss=${stray()}`));
    await end(undefined, (redirect) =>
      redirect.replace(/code=/, `token=${stray()}&code=`).replace(/state=/, "error=access_denied&state="),
    );
    const shown = "a-description-that-is-shown";
    await end(
      undefined,
      (redirect) => `${redirect.replace(/code=[^&]+/, "error=server_error")}&error_description=${shown}`,
    );
    expect(witness.placesOf(shown)).toContain(where);
  });

  it("plants values in the request log and its stream", async () => {
    const { baseUrl, token } = witness.ready;
    const client = createClient({ baseUrl, token });
    await witness.fails("error of a call", () => client.projects.get("proj_plantedplantedplanted"));
    witness.recordResponse(
      "response to the SDK",
      await client.projects.create({ name: "planted-in-a-name" }),
    );
  });

  it("leaks no secret in anything printed, thrown, logged, or listed by these tests", async () => {
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
    for (const planted of ["proj_plantedplantedplanted", "planted-in-a-name"]) {
      expect(witness.placesOf(planted)).toEqual(
        expect.arrayContaining(["request log", "stream of the request log"]),
      );
    }
  });
});

const harvestCredential = ({
  accessToken,
  refreshToken,
}: {
  accessToken: string;
  refreshToken?: string | undefined;
}): void => {
  witness.recordResponse("credential of a login", { accessToken, refreshToken });
};
