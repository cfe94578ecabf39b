import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type Credential, type TokenStore, memoryStore } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "./chromium.js";
import { accessibilityProblems, browserErrorsOf, saveScreenshot, overflow } from "./page-checks.js";

const isFull = process.env["MGMT_BROWSER_FULL"] === "1";
const widths = isFull ? [320, 375, 768, 1024, 1440] : [320, 768, 1440];

describe("the last page of a loopback login in Chromium", () => {
  let browser: Browser;
  let server: RunningServer;
  beforeAll(async () => {
    browser = await launchChromium();
    server = await createServer();
  });
  afterEach(() => server.engine.reset());
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** Starts a login; returns the URL to open and the promise of its result. */
  const start = async (store?: TokenStore): Promise<{ url: string; login: Promise<Credential | Error> }> => {
    let open: (url: string) => void = () => undefined;
    const opened = new Promise<string>((resolve) => (open = resolve));
    const oauth = { authUrl: server.baseUrl, clientId: "itgr_mgmtcommandlineinterface", timeoutMs: 1_000 };
    const login = loginWithLoopback({ ...oauth, open: (url) => open(url), store }).catch(
      (error: Error) => error,
    );
    return { url: await opened, login };
  };
  const allow = async (url: string): Promise<string> => (await server.engine.oauth.consent({ url })).redirect;
  const broken: TokenStore = {
    ...memoryStore(),
    write: () => Promise.reject(new Error("The disk is full.")),
  };

  it.each([
    { name: "done", heading: "You are logged in", come: allow, store: memoryStore() },
    {
      name: "denied",
      heading: "You denied access",
      come: async (url: string) => server.engine.oauth.deny({ url }).redirect,
    },
    {
      name: "refused",
      heading: "The login failed",
      come: async (url: string) => (await allow(url)).replace(/code=[^&]+/, "code=wrong"),
    },
    {
      name: "of-another-server",
      heading: "The response came from another server",
      come: async (url: string) =>
        (await allow(url)).replace(/iss=[^&]+/, `iss=https://${"evil".repeat(30)}.example.com`),
    },
    {
      name: "too-slow",
      heading: "The login took too long",
      come: (url: string) => {
        server.engine.faults.add({ operation: "oauth.token", latency: 60_000, times: 1 });
        return allow(url);
      },
    },
    { name: "stopped", heading: "The login was stopped", come: allow, store: broken },
  ])(
    "matches the pages before it, is accessible, and says how the login ended: $name",
    async ({ name, heading, come, store }) => {
      // The pages differ in their texts. One of a login that is done, and one that failed, have the colors of all.
      for (const colorScheme of isFull || ["done", "refused"].includes(name)
        ? (["light", "dark"] as const)
        : (["light"] as const)) {
        const { url, login } = await start(store);
        const context = await browser.newContext({
          colorScheme,
          viewport: { width: 1440, height: 768 },
          javaScriptEnabled: true,
        });
        const page = await context.newPage();
        const errors = browserErrorsOf(page);
        await page.goto(await come(url));
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(heading);
        expect(await page.title()).toBe(`${heading} · mgmt`);
        await login;
        for (const width of widths) {
          await page.setViewportSize({ width, height: 768 });
          expect([width, await overflow(page)]).toEqual([width, 0]);
          if (width !== 768) await saveScreenshot(page, `result-${name}-${colorScheme}-${String(width)}`);
        }
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(errors).toEqual([]);
        await context.close();
      }
    },
  );

  it("rejects a request that is not part of the login, in the same style, and keeps waiting", async () => {
    const { url, login } = await start();
    const page = await browser.newPage();
    const { origin } = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
    await page.goto(`${origin}/callback?code=x&state=y`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "This page is not part of the login",
    );
    await saveScreenshot(page, "result-unrelated");
    expect(await overflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(await allow(url));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("You are logged in");
    expect(await login).toHaveProperty("accessToken");
    await page.close();
  });
});
