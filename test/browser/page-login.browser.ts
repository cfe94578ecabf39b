import { readFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { launchChromium } from "./chromium.js";
import { bundleForPage } from "./page-bundle.js";
import { accessibilityProblems, overflow, saveScreenshot } from "./page-checks.js";

/** An app with a router, which logs its visitor in as the example does. */
const program = `
import { setupMockWorker } from "@mgmt/mock/browser";
import { createClient } from "@mgmt/sdk";
import { currentLogin, logIn, logOut } from "../../examples/vite-login/src/login.ts";

navigation.addEventListener("navigate", (event) => {
  if (event.canIntercept && event.navigationType !== "reload") event.intercept({ handler: async () => {} });
});
const mock = setupMockWorker({ persist: "session" });
await mock.start();
navigation.addEventListener("navigate", (event) => {
  if (event.canIntercept) event.intercept({ handler: async () => {} });
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
});
const redirectUri = location.origin + "/app";
const settings = { authUrl: mock.authUrl, clientId: "itgr_pagelogin", redirectUri };
await mock.oauth.ensurePublicClient({ id: settings.clientId, redirectUris: [redirectUri] });

const status = document.querySelector("p");
const show = (text) => { status.textContent = text; };
const showFailure = (error) => show(String(error.code));
const [first, last] = document.querySelectorAll("button");
first.onclick = () => void logIn(settings).catch(showFailure);
last.onclick = () => void logOut(settings).then(() => show("Logged out"), showFailure);
const showVisitor = async () => {
  const token = await currentLogin(settings);
  if (!token) return show("Nobody is logged in");
  const { user } = await createClient({ baseUrl: mock.baseUrl, token }).me.get();
  show("Hello, " + user.email);
};
await showVisitor().catch(showFailure);
`;

const workerScript = readFileSync(fileURLToPath(import.meta.resolve("msw/mockServiceWorker.js")), "utf8");

describe("a login at the mock in a page", () => {
  let browser: Browser;
  let context: BrowserContext;
  let server: Server;
  let page: Page;
  let app: string;
  /** Paths of the requests that reached the network. */
  let received: string[];
  beforeAll(async () => {
    await ensureBuilt();
    const html = `<!doctype html><html lang="en"><title>App</title><main><p></p><button>Log in</button>
      <button>Log out</button></main><script type="module">${await bundleForPage(program)}</script>`;
    browser = await launchChromium();
    server = createServer(({ url = "" }, response) => {
      const [path = ""] = url.split("?", 1);
      // The browser requests it, not the page.
      if (path !== "/favicon.ico") received.push(path);
      const isScript = path === "/mockServiceWorker.js";
      // Like the servers of bundlers, it responds with the app at every path.
      response.writeHead(200, {
        "content-type": isScript ? "text/javascript" : "text/html",
        "content-security-policy": "style-src 'none'; form-action 'self'; base-uri 'none'",
      });
      response.end(isScript ? workerScript : html);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // It listens on a port.
    app = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/app`;
  });
  beforeEach(async () => {
    received = [];
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(app);
    await page.getByText("Nobody is logged in").waitFor();
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const press = (name: string) => page.getByRole("button", { name }).click();

  it("returns to the app, survives a reload, and ends with a logout", async () => {
    await press("Log in");
    await press("Grace Hopper");
    await page.getByRole("heading", { name: /asks for access/ }).waitFor();
    await press("Allow");
    await page.getByText("Hello, grace@example.com").waitFor();
    expect(page.url()).toBe(app);
    await page.reload();
    await page.getByText("Hello, grace@example.com").waitFor();
    await press("Log out");
    await page.getByText("Logged out").waitFor();
    await page.reload();
    await page.getByText("Nobody is logged in").waitFor();
    expect(new Set(received)).toEqual(new Set(["/app", "/mockServiceWorker.js"]));
  });

  it("reports a denial to the app", async () => {
    await press("Log in");
    await press("Ada Lovelace");
    await press("Deny");
    await page.getByText("auth:denied").waitFor();
    await press("Log in");
    await press("Cancel");
    await page.getByText("auth:denied").waitFor();
  });

  it("goes on after a change of the account", async () => {
    await press("Log in");
    await press("Ada Lovelace");
    await page.getByRole("link", { name: "Switch account" }).click();
    await press("Grace Hopper");
    await press("Allow");
    await page.getByText("Hello, grace@example.com").waitFor();
  });

  it("begins anew after a reload of the authorization page", async () => {
    await press("Log in");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByText("Nobody is logged in").waitFor();
    await press("Log in");
    await press("Ada Lovelace");
    await press("Allow");
    await page.getByText("Hello, ada@example.com").waitFor();
  });

  it("shows the app as it was before when the visitor goes back", async () => {
    await page.evaluate("history.pushState(null, '', '/app?cart')");
    await press("Log in");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goBack();
    await page.getByText("Nobody is logged in").waitFor();
    expect(page.url()).toBe(app);
  });

  it("looks as on a server, although the policy of the app forbids styles", async () => {
    await press("Log in");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")).toBe(
      "rgb(255, 255, 255)",
    );
    expect(await overflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await saveScreenshot(page, "page-login");
  });
});
