import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { createClient } from "@mgmt/sdk";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createApp } from "../../../examples/express-login/app.js";
import { root } from "../../../scripts/generate/contract/contract.js";

const clientSecret = "hush-client-secret";
let server: RunningServer;
let app: ChildProcess;
let appUrl: string;
/** Everything that the app has printed. */
let printed = "";

const freePort = async (): Promise<number> => {
  const probe = createTcpServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

beforeAll(async () => {
  server = await createServer();
  const port = await freePort();
  appUrl = `http://127.0.0.1:${port}`;
  const redirectUris = [`${appUrl}/callback`];
  const { id } = await server.engine.oauth.registerClient({ redirectUris, secret: clientSecret });
  const env = {
    ...process.env,
    MGMT_BASE_URL: server.baseUrl,
    CLIENT_ID: id,
    CLIENT_SECRET: clientSecret,
    PORT: String(port),
  };
  app = spawn(process.execPath, ["--import", "tsx", "examples/express-login/main.ts"], { cwd: root, env });
  app.stderr?.on("data", (chunk) => (printed += String(chunk)));
  await new Promise<void>((resolve, reject) => {
    app.once("exit", () => reject(new Error(printed)));
    app.stdout?.on("data", (chunk) => {
      printed += String(chunk);
      if (printed.includes(`Open ${appUrl}`)) resolve();
    });
  });
});
afterEach(() => server.engine.faults.clear());
afterAll(async () => {
  app.kill();
  await server.close();
});

/** Imitates a browser that stores one cookie and does not follow redirects. */
const browser = () => {
  let cookie = "";
  const visit = async (address: string, method = "GET") => {
    const options = { method, redirect: "manual", headers: { cookie } } as const;
    const response = await fetch(new URL(address, appUrl), options);
    const [set = ""] = response.headers.getSetCookie();
    if (set) cookie = set.slice(0, set.indexOf(";"));
    const location = response.headers.get("location") ?? "";
    return { status: response.status, location, set, text: await response.text() };
  };
  return { visit, cookie: () => cookie };
};

const logIn = async (user = server.engine.defaults.user.id) => {
  const { visit, cookie } = browser();
  const { location: url } = await visit("/login");
  const { redirect } = await server.engine.oauth.consent({ url, user });
  const callback = await visit(redirect);
  return { visit, cookie, callback, redirect };
};

it("logs a user in, shows only the user's own projects, and logs out", async () => {
  await server.engine.seed.project({ name: "<b>shop</b>" });
  const { visit, callback } = await logIn();
  expect(callback).toMatchObject({ status: 302, location: "/" });
  const home = await visit("/");
  expect(home.text).toContain("<li>&#60;b&#62;shop&#60;/b&#62;</li>");

  const other = await logIn(server.engine.defaults.otherUser.id);
  expect((await other.visit("/")).text).not.toContain("shop");

  expect(await visit("/logout", "POST")).toMatchObject({ status: 303, location: "/" });
  const left = await visit("/");
  expect(left.text).toContain("Log in");
  expect(left.text).not.toContain("shop");
  expect((await other.visit("/")).text).toContain("Log out");
});

it("revokes the login at logout, so that a copied cookie no longer works", async () => {
  const { visit, cookie } = await logIn();
  const stolen = { cookie: cookie() };
  expect(await (await fetch(appUrl, { headers: stolen })).text()).toContain("Log out");
  await visit("/logout", "POST");
  expect(await (await fetch(appUrl, { headers: stolen })).text()).toContain("Log in");
  expect(server.engine.requests.at(-1)).toMatchObject({ operationId: "oauth.revoke", status: 200 });
});

it("uses an HttpOnly, SameSite cookie and a new session id after the login", async () => {
  const { visit, cookie } = browser();
  const { location: url, set } = await visit("/login");
  expect(set).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  const before = cookie();
  await visit((await server.engine.oauth.consent({ url })).redirect);
  expect(cookie()).not.toBe(before);
  expect(await (await fetch(appUrl, { headers: { cookie: before } })).text()).toContain("Log in");
});

it("marks the cookie Secure if the app is served over https", async () => {
  const oauth = { baseUrl: server.baseUrl, authUrl: server.baseUrl, clientId: "itgr_any", clientSecret };
  const secure = createApp({ ...oauth, appUrl: "https://app.example.com" }).listen(0, "127.0.0.1");
  await once(secure, "listening");
  // A listening TCP server has an address of this form.
  const { port } = secure.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/login`, { redirect: "manual" });
  secure.closeAllConnections();
  secure.close();
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
});

it("refuses a callback with a wrong state without redeeming its code", async () => {
  const { visit } = browser();
  const { location: url } = await visit("/login");
  const wrong = new URL((await server.engine.oauth.consent({ url })).redirect);
  wrong.searchParams.set("state", "another");
  const asked = () => server.engine.requests.filter(({ operationId }) => operationId === "oauth.token");
  const before = asked().length;
  const { status, text } = await visit(wrong.href);
  expect(status).toBe(400);
  expect(text).toContain("does not belong to this login");
  expect(asked()).toHaveLength(before);
  expect((await visit("/")).text).toContain("Log in");
});

it("refuses a callback with a valid code in a browser that has not started a login", async () => {
  const { location: url } = await browser().visit("/login");
  const { redirect } = await server.engine.oauth.consent({ url });
  const victim = browser();
  expect(await victim.visit(redirect)).toMatchObject({
    status: 400,
    text: expect.stringContaining("has not started a login"),
  });
  expect((await victim.visit("/")).text).toContain("Log in");
});

it("accepts a callback only once", async () => {
  const { visit, redirect } = await logIn();
  expect((await visit(redirect)).status).toBe(400);
  expect((await visit("/")).text).toContain("Log out");
});

it("reports that the user denied access and offers another login", async () => {
  const { visit } = browser();
  const { location: url } = await visit("/login");
  const { status, text } = await visit(server.engine.oauth.deny({ url }).redirect);
  expect(status).toBe(403);
  expect(text).toContain("access_denied");
  expect(text).toContain('href="/login"');
});

it("asks for a new login after the user revokes the app's access", async () => {
  const { visit } = await logIn();
  const user = createClient({ baseUrl: server.baseUrl, token: await server.engine.tokens.user() });
  const { id: workspaceId } = server.engine.defaults.workspace;
  for await (const { id } of user.integrations.list({ workspaceId })) await user.integrations.delete(id);
  const { status, text } = await visit("/");
  expect(status).toBe(401);
  expect(text).toContain('href="/login"');
});

it("returns 502 without details if the service fails", async () => {
  const { visit } = await logIn();
  server.engine.faults.add({ operation: "projects.list", status: 500 });
  const { status, text } = await visit("/");
  expect(status).toBe(502);
  expect(text).toContain("Try again later.");
});

it("does not log out on GET, because another site could link to it", async () => {
  const { visit } = await logIn();
  expect((await visit("/logout")).status).toBe(404);
  expect((await visit("/")).text).toContain("Log out");
});

it("prints nothing but its address", () => {
  expect(printed).toBe(`Open ${appUrl}\n`);
});
