import { type Server, createServer as createSite } from "node:http";
import type { AddressInfo } from "node:net";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import type { AuthError } from "@mgmt/sdk/auth";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleForPage } from "./page-bundle.js";
import { launchChromium, launchWithHiddenTabs } from "./chromium.js";

type Outcome = { value: unknown } | { code: AuthError["code"]; message: string };

describe("a login that a web page stores, in Chromium", () => {
  let browser: Browser;
  let site: Server;
  let origin: string;
  let redirectUri: string;
  let context: BrowserContext;
  let server: RunningServer;
  let clientId: string;
  beforeAll(async () => {
    browser = await launchChromium();
    const script = await bundleForPage(`
      import { createClient } from "@mgmt/sdk";
      import { browserStore, createAuthenticator, finishLogin, logout, startLogin } from "@mgmt/sdk/auth";
      globalThis.sdk = { browserStore, createAuthenticator, createClient, finishLogin, logout, startLogin };
    `);
    site = createSite((_, response) =>
      response
        .setHeader("content-type", "text/html")
        .end(`<title>App</title><script type="module">${script}</script>`),
    );
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    // It listens on a port.
    origin = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
    redirectUri = `${origin}/`;
  });
  afterAll(async () => {
    await browser.close();
    site.close();
  });
  beforeEach(async () => {
    server = await createServer();
    ({ id: clientId } = await server.engine.oauth.registerClient({ redirectUris: [redirectUri] }));
    context = await browser.newContext();
  });
  afterEach(async () => {
    await context.close();
    await server.close(0);
  });

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(redirectUri);
    return page;
  };

  /** Runs the body of a function in the page, which has `sdk` and `oauth`. Returns its value, or the error of the SDK that it threw. */
  const run = (page: Page | Frame, storage: string, body: string): Promise<Outcome> =>
    page.evaluate(`(async () => {
      const oauth = { authUrl: ${JSON.stringify(server.baseUrl)}, clientId: ${JSON.stringify(clientId)} };
      try {
        oauth.store = sdk.browserStore(${storage});
        globalThis.auth ??= sdk.createAuthenticator(oauth);
        return { value: await (async () => { ${body} })() };
      } catch ({ code, message }) {
        return { code, message };
      }
    })()`);

  const logIn = async (page: Page, storage = ""): Promise<void> => {
    const started = await run(
      page,
      storage,
      `return sdk.startLogin({ ...oauth, redirectUri: "${redirectUri}" });`,
    );
    if (!("value" in started)) throw new Error(started.message);
    // What startLogin returns.
    const { url, attempt } = started.value as { url: string; attempt: unknown };
    const { redirect } = await server.engine.oauth.consent({ url });
    const outcome = await run(
      page,
      storage,
      `await sdk.finishLogin({ ...oauth, attempt: ${JSON.stringify(attempt)}, callback: ${JSON.stringify(redirect)} });`,
    );
    expect(outcome).toEqual({ value: undefined });
  };
  const list = `
    const client = sdk.createClient({ baseUrl: oauth.authUrl, token: auth.token });
    await client.projects.list({ limit: 1 });
    return "listed";`;
  const refreshes = (): number =>
    server.engine.requests.filter(
      ({ operationId, status }) => operationId === "oauth.token" && status === 200,
    ).length - 1;

  it("survives a reload, and ends with a logout that the server confirms", async () => {
    const page = await open();
    await logIn(page);
    await page.reload();
    const first = await run(page, "", "return auth.token();");
    expect(first).toEqual({ value: expect.stringMatching(/^ey/) });
    expect(await run(page, "", list)).toEqual({ value: "listed" });
    expect(await run(page, "", "await sdk.logout(oauth);")).toEqual({ value: undefined });
    expect(server.engine.requests.at(-1)).toMatchObject({ operationId: "oauth.revoke", status: 200 });
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.reload();
    expect(await run(page, "", "return auth.token();")).toMatchObject({ code: "auth:login_required" });
  });

  it("is not in other tabs, unless they share the storage", async () => {
    const page = await open();
    await logIn(page);
    const other = await open();
    expect(await run(other, "", "return auth.token();")).toMatchObject({ code: "auth:login_required" });
    const shared = "{ storage: localStorage }";
    const third = await open();
    await logIn(third, shared);
    const fourth = await open();
    expect(await run(fourth, shared, list)).toEqual({ value: "listed" });
  });

  it("is refreshed once by tabs that share it, all but one of which are in the background", async () => {
    await context.close();
    context = await launchWithHiddenTabs();
    const shared = "{ storage: localStorage }";
    const pages = [await open(), await open(), await open()];
    const [page] = pages;
    if (!page) throw new Error("There is no page");
    await logIn(page, shared);
    for (const each of pages) expect(await run(each, shared, list)).toEqual({ value: "listed" });
    await server.engine.clock.advance(3_601_000);
    await page.bringToFront();
    const shown = () => Promise.all(pages.map((each) => each.evaluate("document.visibilityState")));
    await vi.waitUntil(async () => String(await shown()) === "visible,hidden,hidden", {
      timeout: 30_000,
    });
    const outcomes = await Promise.all(pages.map((each) => run(each, shared, list)));
    expect(outcomes).toEqual(pages.map(() => ({ value: "listed" })));
    expect(refreshes()).toBe(1);
  });

  it.each([
    ["ahead of", 2],
    ["behind", -2],
  ])(
    "is kept by two tabs, one of whose clocks is two hours %s the other's, with few refreshes",
    async (_, hours) => {
      const shared = "{ storage: localStorage }";
      const [page, other] = [await open(), await context.newPage()];
      await other.addInitScript(`
        const now = Date.now;
        Date.now = () => now() + ${String(hours * 3_600_000)};`);
      await other.goto(redirectUri);
      await logIn(page, shared);
      const listInTurns = async (): Promise<void> => {
        for (const each of [page, other, page, other, page, other])
          expect(await run(each, shared, list)).toEqual({ value: "listed" });
      };
      await listInTurns();
      // By the clock that is ahead, the first token has expired.
      const early = hours > 0 ? 1 : 0;
      expect(refreshes()).toBe(early);
      await server.engine.clock.advance(3_601_000);
      await listInTurns();
      expect(refreshes()).toBeGreaterThan(early);
      for (const each of [page, other]) await each.reload();
      await listInTurns();
      // One by each tab, and one more when a tab reads what the other has stored, which has expired by the clock that is ahead.
      const late = refreshes();
      expect(late).toBeLessThanOrEqual(early + 3);
      await listInTurns();
      expect(refreshes()).toBe(late);
    },
  );

  it("is used by the next tab when a tab is closed during its refresh", async () => {
    const shared = "{ storage: localStorage }";
    const [page, other] = [await open(), await open()];
    await logIn(page, shared);
    await server.engine.clock.advance(3_601_000);
    server.engine.faults.add({ operation: "oauth.token", latency: 60_000, drop: "before", times: 1 });
    const asked = page.waitForRequest(/\/token$/);
    void run(page, shared, list).catch(() => undefined);
    await asked;
    await page.close();
    expect(await run(other, shared, list)).toEqual({ value: "listed" });
    expect(refreshes()).toBe(1);
  });

  it("is not refreshed while the storage is full, and is afterwards", async () => {
    const shared = "{ storage: localStorage }";
    const page = await open();
    await logIn(page, shared);
    await page.evaluate(`
      for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2)) {
        try { for (let i = 0; ; i += 1) localStorage.setItem(\`full-\${size}-\${i}\`, "x".repeat(size)); } catch {}
      }`);
    await page.reload();
    await server.engine.clock.advance(3_601_000);
    expect(await run(page, shared, list)).toMatchObject({
      code: "auth:store_failed",
      message: "The browser's storage could not be written (QuotaExceededError)",
    });
    expect(refreshes()).toBe(0);
    await page.evaluate(
      `for (const key of Object.keys(localStorage)) if (key.startsWith("full-")) localStorage.removeItem(key);`,
    );
    expect(await run(page, shared, list)).toEqual({ value: "listed" });
  });

  it("is refused by a browser that blocks the storage of the page", async () => {
    const page = await open();
    // The origin of such a frame has no storage.
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-scripts";
      frame.src = "${origin}/frame";
      frame.onload = resolve;
      document.body.append(frame);
    })`);
    const frame = page.frames().find((each) => each.url().endsWith("/frame"));
    if (!frame) throw new Error("There is no frame");
    expect(await run(frame, "", "return oauth.store.read();")).toMatchObject({
      code: "auth:store_unreadable",
      message: "The browser's storage cannot be read (SecurityError)",
    });
    expect(await run(frame, "", "await oauth.store.probe();")).toMatchObject({
      code: "auth:store_failed",
      message: "The browser's storage could not be written (SecurityError)",
    });
    expect(await run(frame, "", "return auth.token();")).toMatchObject({ code: "auth:store_unreadable" });
    expect(await run(frame, "", "await sdk.logout(oauth);")).toMatchObject({ code: "auth:store_unreadable" });
    const attempt = `{ state: "s", codeVerifier: "v", redirectUri: "${redirectUri}" }`;
    const callback = `${redirectUri}?code=c&state=s&iss=${encodeURIComponent(server.baseUrl)}`;
    expect(
      await run(
        frame,
        "",
        `await sdk.finishLogin({ ...oauth, attempt: ${attempt}, callback: "${callback}" });`,
      ),
    ).toMatchObject({ code: "auth:store_failed" });
    // The code was not used.
    expect(server.engine.requests).toEqual([]);
  });
});
