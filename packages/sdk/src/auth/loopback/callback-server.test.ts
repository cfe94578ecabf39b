import { once } from "node:events";
import { request } from "node:http";
import { Server, connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { thrown } from "../../../test/server.js";
import { holdTokens } from "../../../test/auth/authenticator-setup.js";
import { startFaultServer } from "../../../test/auth/fault-server.js";
import {
  ask,
  begin,
  expectClosed,
  mock,
  oauth,
  setupLoopback,
  watchedStore,
} from "../../../test/auth/loopback-login.js";

setupLoopback();

const tokenRequests = () => mock.requests.filter(({ operationId }) => operationId === "oauth.token");

describe("loginWithLoopback", () => {
  it("logs in on a free port of 127.0.0.1, shows a closing page, keeps the credential, and leaves nothing open", async () => {
    const store = memoryStore();
    const { login, allow, redirectUri } = await begin({ store });
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const page = await fetch(await allow());
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain("<h1>You are logged in</h1>");
    expect(text).not.toMatch(/<script|src=|href="(?!data:)|code=|ey[A-Z]/);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("default-src 'none'; style-src 'sha256-"),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    const credential = await login;
    expect(await store.read()).toEqual(credential);
    expect(credential.scopes).toEqual(["workspace:admin", "offline_access"]);
    await expectClosed(redirectUri);
  });

  it("refuses unrelated requests, and continues waiting", async () => {
    const { login, allow, redirectUri, state } = await begin();
    const { origin, host } = new URL(redirectUri);
    const hit = `${redirectUri}?state=${state}&code=x`;
    const strangers: [number, string, Parameters<typeof ask>[1]?][] = [
      [400, redirectUri],
      [400, `${redirectUri}?code=x`],
      [400, `${redirectUri}?code=x&state=${"a".repeat(43)}`],
      [400, `${redirectUri}?code=x&state=`],
      [400, `${redirectUri}?error=access_denied`],
      [400, `${redirectUri}?error=access_denied&state=x`],
      [400, `${hit}&state=${state}`],
      [404, origin],
      [404, `${origin}/favicon.ico`],
      [404, `${origin}/callback/?state=${state}&code=x`],
      [404, `${origin}//evil.example.com/callback?state=${state}`],
      [405, hit, { method: "POST" }],
      [405, hit, { method: "HEAD" }],
      [405, hit, { method: "OPTIONS" }],
      [403, hit, { headers: { host: "evil.example.com" } }],
      [403, hit, { headers: { host: `localhost:${new URL(origin).port}` } }],
      [403, hit, { headers: { host: "127.0.0.1" } }],
    ];
    for (const [status, url, options] of strangers) {
      const answer = await ask(url, { ...options, headers: { host, ...options?.headers } });
      expect([answer.status, url]).toEqual([status, url]);
      expect(answer.text).not.toContain(state);
    }
    expect(tokenRequests()).toEqual([]);
    await ask(await allow());
    expect((await login).issuer).toBe(mock.authUrl);
  });

  it("uses the code once when the callback is hit twice at a time", async () => {
    mock.faults.add({ operation: "oauth.token", latency: 500, times: 1 });
    const { login, allow } = await begin();
    const redirect = await allow();
    const pages = await Promise.all([ask(redirect), ask(redirect), ask(redirect)]);
    for (const { text } of pages) expect(text).toContain("You are logged in");
    await login;
    expect(tokenRequests()).toHaveLength(1);
  });

  it("ignores later requests with another code or an error", async () => {
    mock.faults.add({ operation: "oauth.token", latency: 500, times: 1 });
    const { store, taken } = watchedStore();
    const { login, allow, redirectUri, state } = await begin({ store });
    const first = ask(await allow());
    await taken;
    const later = [`error=access_denied&state=${state}`, `code=stolen&state=${state}`];
    const pages = await Promise.all(later.map((query) => ask(`${redirectUri}?${query}`)));
    for (const { text } of [await first, ...pages]) expect(text).toContain("You are logged in");
    expect((await login).refreshToken).toEqual(expect.any(String));
  });

  it("throws auth:denied when the user denies access, and the page says so", async () => {
    const { login, url, redirectUri } = await begin();
    const failed = thrown(login);
    const { status, text } = await ask(mock.oauth.deny({ url }).redirect);
    expect(status).toBe(200);
    expect(text).toContain(
      "<h1>You denied access</h1><p>The program got no access, and nothing was changed.",
    );
    expect(text.indexOf("access_denied")).toBeGreaterThan(text.indexOf("</h1>"));
    expect(await failed).toMatchObject({ code: "auth:denied", oauthError: "access_denied" });
    await expectClosed(redirectUri);
  });

  it("shows what a server says as text, never as a page", async () => {
    const { login, redirectUri, state } = await begin();
    const failed = thrown(login);
    const query = new URLSearchParams({
      error: "server_error",
      error_description: "<script>alert(1)</script>'&",
      ...{ state, iss: mock.authUrl },
    });
    const { text } = await ask(`${redirectUri}?${query.toString()}`);
    expect(text).toContain("server_error: &#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;.");
    expect(await failed).toMatchObject({ code: "auth:login_failed", oauthError: "server_error" });
  });

  it("ends when the server fails, and shows no secret on the page", async () => {
    mock.faults.add({ operation: "oauth.token", status: 500, body: "<html>" });
    const { login, allow } = await begin();
    const failed = thrown(login);
    const redirect = await allow();
    const { text } = await ask(redirect);
    expect(text).toContain("returned 500 (text/html)");
    expect(text).not.toContain(new URL(redirect).searchParams.get("code"));
    expect(await failed).toMatchObject({ code: "auth:login_failed", status: 500 });
  });

  it("ends with what open throws, and does not wait for an open that never ends", async () => {
    const reason = new Error("no browser");
    const throwing = (): never => {
      throw reason;
    };
    for (const open of [throwing, () => Promise.reject(reason)]) {
      expect(await thrown(loginWithLoopback({ ...oauth, open }))).toBe(reason);
    }
    let opened: (url: string) => void = () => undefined;
    const url = new Promise<string>((resolve) => (opened = resolve));
    const login = loginWithLoopback({
      ...oauth,
      open: (address) => {
        opened(address);
        return new Promise(() => undefined);
      },
    });
    await ask((await mock.oauth.consent({ url: await url })).redirect);
    expect((await login).issuer).toBe(mock.authUrl);
  });

  it("opens no browser when it cannot listen, and says what to do instead", async () => {
    const listen = vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
      const error = Object.assign(new Error("canary"), { code: "EADDRNOTAVAIL" });
      queueMicrotask(() => this.emit("error", error));
      return this;
    });
    let opened = 0;
    const open = (): void => void (opened += 1);
    const error = await thrown(loginWithLoopback({ ...oauth, open }));
    listen.mockRestore();
    expect(error).toMatchObject({
      ...{ name: "AuthError", code: "auth:listen_failed" },
      message: "The program cannot listen on 127.0.0.1 (EADDRNOTAVAIL)",
      hint: "Use startLogin and finishLogin, and let the user paste the URL.",
    });
    expect(opened).toBe(0);
  });

  it("opens no browser when the store cannot be written", async () => {
    const reason = new Error("read-only");
    let opened = 0;
    const store: TokenStore = { ...memoryStore(), probe: () => Promise.reject(reason) };
    const open = (): void => void (opened += 1);
    expect(await thrown(loginWithLoopback({ ...oauth, store, open }))).toBe(reason);
    expect(opened).toBe(0);
  });

  it("completes two concurrent logins, each with its own port and response", async () => {
    const [one, other] = await Promise.all([begin(), begin()]);
    expect(one.redirectUri).not.toBe(other.redirectUri);
    // A callback at another path is refused.
    const redirect = new URL(await other.allow());
    redirect.port = new URL(one.redirectUri).port;
    expect((await ask(redirect.href)).status).toBe(400);
    await Promise.all([ask(await one.allow()), ask(await other.allow())]);
    const [first, second] = await Promise.all([one.login, other.login]);
    expect(first.accessToken).not.toBe(second.accessToken);
  });

  it("completes when the browser is closed before the page is shown", async () => {
    const { token, arrived, answer } = holdTokens();
    const server = await startFaultServer({ token });
    const store = memoryStore();
    const { login, redirectUri, state } = await begin({ authUrl: server.baseUrl, clientId: "app", store });
    const query = new URLSearchParams({ code: "code-1", state, iss: server.baseUrl });
    const browser = request(`${redirectUri}?${query.toString()}`).on("error", () => undefined);
    browser.end();
    await arrived;
    browser.destroy();
    await pause(50);
    answer();
    expect((await login).accessToken).toBe("access-1");
    expect(await store.read()).toMatchObject({ accessToken: "access-1" });
    await expectClosed(redirectUri);
  });

  it("ends although connections are held open", async () => {
    const { login, allow, redirectUri } = await begin();
    const { port } = new URL(redirectUri);
    const sockets = Array.from({ length: 3 }, () => connect(Number(port), "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await new Promise((resolve) => sockets[0]?.write("GET /callback HTTP/1.1\r\nhost:", resolve));
    await ask(await allow());
    await login;
    await expectClosed(redirectUri);
    for (const socket of sockets) socket.destroy();
  });
});
