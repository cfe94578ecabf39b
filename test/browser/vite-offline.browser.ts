import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium } from "./chromium.js";
import { customersIn, signUp } from "./offline-page.js";
import { accessibilityProblems, browserErrorsOf, overflow, saveScreenshot } from "./page-checks.js";

const example = fileURLToPath(new URL("../../examples/vite-offline", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

describe("the example vite-offline in Chromium", () => {
  let folder: string;
  let browser: Browser;
  let site: PreviewServer;
  let context: BrowserContext;
  let page: Page;
  let errors: string[];
  let productionFiles: Map<string, string>;

  const run = (script: string) => promisify(execFile)("npm", ["run", "--silent", script], { cwd: folder });
  const builtFiles = () =>
    readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }): [string, string] => [name, readFileSync(join(parentPath, name), "utf8")]);

  beforeAll(async () => {
    // Below this folder, so that it finds the packages of this repository.
    folder = await mkdtemp(join(here, ".test-"));
    await cp(example, folder, { recursive: true });
    await run("build");
    productionFiles = new Map(builtFiles());
    await run("build:demo");
    site = await preview({ root: folder, preview: { host: "127.0.0.1", port: 0 }, logLevel: "error" });
    browser = await launchChromium();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    errors = browserErrorsOf(page);
    await page.goto(site.resolvedUrls?.local[0] ?? "");
    await page.getByText("There are no customers yet.").waitFor();
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    await site.close();
    await rm(folder, { recursive: true });
  });

  const customer = (name: string) => customersIn(page).filter({ hasText: name });

  it("has neither the mock nor the worker script in a production build", () => {
    expect([...productionFiles.keys()]).toContain("index.html");
    expect([...productionFiles.keys()]).not.toContain("mockServiceWorker.js");
    const text = [...productionFiles.values()].join("");
    expect(text).not.toMatch(/mgmt-mock-probe|Latest requests/);
  });

  it("signs customers up, who are there after a reload, until the visitor starts over", async () => {
    await signUp(page, "acme");
    await customer("acme").getByText("provisioning").waitFor();
    await page.getByText("The database of acme is ready.").waitFor();
    await page.reload();
    await customer("acme").getByText("ready").waitFor();
    expect(await customersIn(page).count()).toBe(1);
    await page.getByRole("button", { name: "Start over" }).click();
    await page.getByText("There are no customers yet.").waitFor();
    expect(errors).toEqual([]);
  });

  it("accepts a sign-up before the mock runs", async () => {
    let loadMock = (): void => undefined;
    const hasSignedUp = new Promise<void>((resolve) => (loadMock = resolve));
    await page.route(/\/mock-[^/]+\.js$/, async (route) => {
      await hasSignedUp;
      await route.continue();
    });
    await page.reload();
    await signUp(page, "acme");
    loadMock();
    await customer("acme").getByText("provisioning").waitFor();
    expect(errors).toEqual([]);
  });

  it("shows what a fault does, until it is switched off", async () => {
    const fault = page.getByLabel("No database can be created");
    await fault.check();
    await signUp(page, "acme");
    await page.getByRole("status").getByText("An installed fault caused this error").waitFor();
    await customer("acme").getByText("no database").waitFor();
    await fault.uncheck();
    await signUp(page, "acme");
    await customer("acme").getByText("ready").waitFor();
    await signUp(page, "acme");
    await page.getByText("acme is a customer already.").waitFor();
  });

  it("fits its window, and passes axe-core, in light and in dark", async () => {
    await signUp(page, "A-customer-whose-name-has-40-characters");
    await signUp(page, "initech");
    await page.getByText("The database of initech is ready.").waitFor();
    await page.getByLabel("No database can be created").check();
    await signUp(page, "hooli");
    await page.getByText("An installed fault caused this error").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [375, 1200]) {
        await page.setViewportSize({ width, height: 800 });
        expect([width, await overflow(page)]).toEqual([width, 0]);
        await saveScreenshot(page, `vite-offline-${colorScheme}-${String(width)}`);
      }
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });
});
