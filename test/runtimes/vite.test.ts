import { join } from "node:path";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../browser/chromium.js";
import { browserErrorsOf } from "../browser/page-checks.js";
import { type RunningProgram, installExample, runScript, start } from "./example.js";

const installed = inject("installed");

describe("the packed SDK built by Vite, in Chromium", () => {
  let server: RunningServer;
  let site: RunningProgram | undefined;
  let browser: Browser | undefined;
  let output = "";

  beforeAll(async () => {
    server = await createServer();
    await server.engine.seed.project({ name: "toy shop" });
    // Any port of the loopback interface is a redirect URI of this client.
    const { id } = await server.engine.oauth.registerClient({
      redirectUris: ["http://127.0.0.1/"],
      confidential: false,
    });
    const cwd = await installExample(installed, "vite-login");
    const env = { NO_COLOR: "1", VITE_MGMT_BASE_URL: server.baseUrl, VITE_MGMT_CLIENT_ID: id };
    output = await runScript(cwd, "build", env);
    const words = ["preview", "--host", "127.0.0.1", "--port", "0"];
    const until = /http:\/\/127\.0\.0\.1:\d+\//;
    site = await start(join(cwd, "node_modules/.bin/vite"), words, { cwd, until });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
    await server.close(0);
  });

  /** Opens the page in a new browser profile, and asks for a login. */
  const openLogin = async (): Promise<{ page: Page; errors: string[] }> => {
    if (!browser || !site) throw new Error("Nothing was started");
    const page = await (await browser.newContext()).newPage();
    const errors = browserErrorsOf(page);
    await page.goto(site.found);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    return { page, errors };
  };

  it("is built without a warning about modules of Node.js", () => {
    expect(output).toContain("built in");
    expect(output).not.toMatch(/externalized|node:|warn/i);
  });

  it("logs a visitor in and lists their projects from the mock", async () => {
    const { page, errors } = await openLogin();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("listitem").getByText("toy shop").waitFor();
    expect(page.url()).toBe(site?.found);
    expect(errors).toEqual([]);
    expect(server.engine.requests).toContainEqual(
      expect.objectContaining({ operationId: "projects.list", status: 200 }),
    );
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
