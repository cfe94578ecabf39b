import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { launchChromium } from "./chromium.js";

const example = fileURLToPath(new URL("../../examples/storybook", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

describe("the example storybook in Chromium", () => {
  let folder: string;
  let browser: Browser;
  let site: PreviewServer;
  let page: Page;

  beforeAll(async () => {
    await ensureBuilt();
    // Below this folder, so that it finds the packages of this repository.
    folder = await mkdtemp(join(here, ".test-"));
    await cp(example, folder, { recursive: true });
    const env = { ...process.env, STORYBOOK_DISABLE_TELEMETRY: "1" };
    await promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: folder, env });
    const build = { outDir: join(folder, "storybook-static") };
    site = await preview({
      configFile: false,
      // As on a site that has other pages, too.
      base: "/catalog/",
      root: folder,
      build,
      preview: { host: "127.0.0.1", port: 0 },
      logLevel: "error",
    });
    browser = await launchChromium();
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());
  afterAll(async () => {
    await browser.close();
    await site.close();
    await rm(folder, { recursive: true });
  });

  const origin = (): string => site.resolvedUrls?.local[0] ?? "";
  const story = () => page.frameLocator("#storybook-preview-iframe").getByRole("main");

  it("shows each story with the state that its loader makes, also after another story", async () => {
    await page.goto(`${origin()}?path=/story/project-list--empty`);
    await story().getByText("There are no projects.").waitFor();
    await page.getByRole("link", { name: "Full" }).click();
    await story().getByText("book shop").waitFor();
    expect(await story().getByRole("listitem").allTextContents()).toEqual(["toy shop", "book shop"]);
    await page.getByRole("link", { name: "Empty" }).click();
    await story().getByText("There are no projects.").waitFor();
  });

  it("shows a story whose loader adds a fault, and removes the fault for the next one", async () => {
    await page.goto(`${origin()}?path=/story/project-list--unavailable`);
    await story().getByText("The projects cannot be shown now.").waitFor();
    await page.getByRole("link", { name: "Full" }).click();
    await story().getByText("toy shop").waitFor();
  });

  it("shows stories in frames of one page, each with its own state, as a page of documentation does", async () => {
    await page.goto(`${origin()}mockServiceWorker.js`);
    await page.evaluate((url) => {
      document.body.replaceChildren(
        ...["empty", "full", "unavailable"].map((name) => {
          const frame = document.createElement("iframe");
          frame.id = name;
          frame.src = `${url}iframe.html?id=project-list--${name}&viewMode=story`;
          return frame;
        }),
      );
    }, origin());
    for (const [name, text] of [
      ["empty", "There are no projects."],
      ["full", "book shop"],
      ["unavailable", "The projects cannot be shown now."],
    ] as const)
      await page.frameLocator(`#${name}`).getByText(text).waitFor();
  });

  it("shows a story that is opened alone", async () => {
    await page.goto(`${origin()}iframe.html?id=project-list--full&viewMode=story`);
    await page.getByRole("listitem").first().waitFor();
    expect(await page.getByRole("listitem").allTextContents()).toEqual(["toy shop", "book shop"]);
  });

  it("shows a story in the manager after one that was opened alone in the same tab", async () => {
    await page.goto(`${origin()}iframe.html?id=project-list--empty&viewMode=story`);
    await page.getByText("There are no projects.").waitFor();
    await page.goto(`${origin()}?path=/story/project-list--full`);
    await story().getByText("toy shop").waitFor();
  });
});
