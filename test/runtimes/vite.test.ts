import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "@mgmt/mock/server";
import { createClient } from "@mgmt/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium, launchWithBlockedStorage } from "../browser/chromium.js";
import { customersIn, signUp } from "../browser/offline-page.js";
import { browserErrorsOf } from "../browser/page-checks.js";
import { startDevOf } from "../security/dev-process.js";
import { type RunningProgram, installExample, runScript, start } from "./example.js";
import { older } from "./tools.js";

const installed = inject("installed");

/** A service with the project "toy shop" and a public client, for which any port of the loopback interface is a redirect URI. */
interface Service {
  readonly baseUrl: string;
  readonly clientId: string;
  /** What a browser must send before it signs in, if anything. */
  readonly signInKey?: string;
  stop(): Promise<void>;
}

const redirectUri = "http://127.0.0.1/";

const startMock = async (): Promise<Service> => {
  const { baseUrl, engine, close } = await createServer();
  await engine.seed.project({ name: "toy shop" });
  const { id } = await engine.oauth.registerClient({ redirectUris: [redirectUri], confidential: false });
  return { baseUrl, clientId: id, stop: () => close(0) };
};

const startPackedDev = async (): Promise<Service> => {
  const clientId = "itgr_examplevitelogin";
  const { ready, stop } = await startDevOf(
    [process.execPath, join(installed, "node_modules/@mgmt/cli/dist/mgmt.js")],
    ["--oauth-client", `${clientId}=${redirectUri}`],
  );
  const { baseUrl, token, signInKeyFile } = ready;
  await createClient({ baseUrl, token }).projects.create({ name: "toy shop", createDatabase: false });
  if (signInKeyFile === null) throw new Error("Everybody can sign in");
  return { baseUrl, clientId, signInKey: await readFile(signInKeyFile, "utf8"), stop };
};

/** Serves what was built in a folder. */
const startPreview = (cwd: string): Promise<RunningProgram> => {
  const words = ["preview", "--host", "127.0.0.1", "--port", "0"];
  const until = /http:\/\/127\.0\.0\.1:\d+\//;
  return start(join(cwd, "node_modules/.bin/vite"), words, { cwd, until });
};

const pairs = [
  { name: "Vite 7, with the mock", tool: older("vite"), startService: startMock },
  { name: "Vite 8, with mgmt dev", tool: "vite", startService: startPackedDev },
];

describe.each(pairs)("the packed SDK built by $name, in Chromium", ({ tool, startService }) => {
  let service: Service | undefined;
  let site: RunningProgram | undefined;
  let browser: Browser | undefined;
  let output = "";

  beforeAll(async () => {
    service = await startService();
    const { baseUrl, clientId } = service;
    const cwd = await installExample(installed, "vite-login", { vite: tool });
    const env = { NO_COLOR: "1", VITE_MGMT_BASE_URL: baseUrl, VITE_MGMT_CLIENT_ID: clientId };
    output = await runScript(cwd, "build", env);
    site = await startPreview(cwd);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await service?.stop();
  });

  /** Opens the page in a new browser profile, and asks for a login. */
  const openLogin = async (): Promise<{ page: Page; errors: string[] }> => {
    if (!browser || !site) throw new Error("Nothing was started");
    const page = await (await browser.newContext()).newPage();
    const errors = browserErrorsOf(page);
    await page.goto(site.found);
    await page.getByRole("button", { name: "Log in" }).click();
    if (service?.signInKey !== undefined) {
      await page.getByLabel("Sign-in key").fill(service.signInKey);
      await page.getByRole("button", { name: "Continue" }).click();
    }
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    return { page, errors };
  };

  it("is built without a warning about modules of Node.js", () => {
    expect(output).toContain("built in");
    expect(output).not.toMatch(/externalized|node:|warn/i);
  });

  it("logs a visitor in and lists their projects", async () => {
    const { page, errors } = await openLogin();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("listitem").getByText("toy shop").waitFor();
    expect(page.url()).toBe(site?.found);
    expect(errors).toEqual([]);
  });

  it("keeps the visitor logged in after a reload, until they log out", async () => {
    const { page, errors } = await openLogin();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("listitem").getByText("toy shop").waitFor();
    await page.reload();
    await page.getByRole("listitem").getByText("toy shop").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("status").getByText("You are logged out.").waitFor();
    expect(await page.getByRole("listitem").count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "Log in" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("says that the browser blocks the storage, and what to do", async () => {
    const context = await launchWithBlockedStorage();
    try {
      const page = await context.newPage();
      const errors = browserErrorsOf(page);
      await page.goto(site?.found ?? "");
      const status = page.getByRole("status");
      await status
        .getByText("The browser's storage cannot be read (SecurityError). The browser may block")
        .waitFor();
      await page.getByRole("button", { name: "Log in" }).click();
      await status.getByText("The browser's storage could not be written (SecurityError).").waitFor();
      expect(page.url()).toBe(site?.found);
      expect(errors).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it("shows that the visitor refused, and offers another login", async () => {
    const { page } = await openLogin();
    await page.getByRole("button", { name: /deny|cancel/i }).click();
    await page
      .getByRole("status")
      .getByText(/denied/)
      .waitFor();
    await page.getByRole("button", { name: "Log in" }).waitFor();
  });
});

describe.each([
  { name: "Vite 7", tool: older("vite") },
  { name: "Vite 8", tool: "vite" },
])("the packed mock built by $name, in Chromium", ({ tool }) => {
  let site: RunningProgram | undefined;
  let browser: Browser | undefined;

  beforeAll(async () => {
    const cwd = await installExample(installed, "vite-offline", { vite: tool });
    await runScript(cwd, "build:demo", { NO_COLOR: "1" });
    site = await startPreview(cwd);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  it("responds inside the page, and keeps its data through a reload", async () => {
    if (!browser || !site) throw new Error("Nothing was started");
    const page = await browser.newPage();
    const errors = browserErrorsOf(page);
    await page.goto(site.found);
    await signUp(page, "acme");
    await page.getByText("The database of acme is ready.").waitFor();
    await page.reload();
    await customersIn(page).filter({ hasText: "acme" }).getByText("ready").waitFor();
    expect(errors).toEqual([]);
  });
});
