import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../browser/chromium.js";
import { accessibilityProblems, browserErrorsOf, overflow, saveScreenshot } from "../browser/page-checks.js";
import { linksOf } from "../docs/markdown.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(root, "site/.vitepress/dist");
const origin = "https://docs.example.com";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Returns the built file at an address, as a web server with addresses without `.html` does. */
const fileAt = (path: string): string | undefined =>
  [path, `${path}.html`, join(path, "index.html")]
    .map((name) => join(built, decodeURIComponent(name)))
    .find((file) => extname(file) !== "" && existsSync(file));

/** Serves the website to a page of the browser, without a network. Returns the addresses of other servers that it asks for. */
const serveTo = async (page: Page): Promise<string[]> => {
  const others: string[] = [];
  await page.route("**", (route) => {
    const { origin: asked, pathname } = new URL(route.request().url());
    const file = fileAt(pathname);
    if (asked !== origin) others.push(asked);
    if (asked !== origin || file === undefined) return route.fulfill({ status: 404 });
    return route.fulfill({ path: file, contentType: types[extname(file)] ?? "text/plain" });
  });
  return others;
};

beforeAll(async () => {
  // Fails at a link to a page that does not exist.
  await promisify(execFile)(process.execPath, [join(root, "scripts/docs.mjs"), "build"]);
}, 900_000);

describe("the documentation as a website", () => {
  it("has the home page, the overview, a page for each package, and the reference", () => {
    const pages = [
      "index",
      "overview",
      "docs/index",
      "packages/sdk/index",
      "packages/cli/index",
      "docs/reference/projects",
    ];
    expect(pages.filter((page) => !existsSync(join(built, `${page}.html`)))).toEqual([]);
  });

  it("points links to files that are not pages at the repository", () => {
    const page = (name: string): string => readFileSync(join(built, `docs/${name}.html`), "utf8");
    expect(page("guides/observability")).toContain("/tree/main/examples/opentelemetry/trace-client.ts");
    expect(page("guides/ci")).toContain('href="/examples/pull-request-database/"');
    expect(page("cli/databases")).toContain('href="/docs/cli/#global-flags"');
  });

  it("links every page in its sidebar", () => {
    const pages = readdirSync(built, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".html") && !["index.html", "404.html"].includes(name))
      .map((name) => `/${name.replaceAll("\\", "/").replace(/(?:index)?\.html$/, "")}`);
    const [, sidebar = ""] = readFileSync(join(built, "docs/support.html"), "utf8").split(
      'id="VPSidebarNav"',
    );
    expect(pages.length).toBeGreaterThan(80);
    expect(pages.filter((page) => !sidebar.includes(`href="${page}"`))).toEqual([]);
  });

  it("points to the source of a page, and of what a page is generated from", () => {
    const page = (name: string): string => readFileSync(join(built, `docs/${name}.html`), "utf8");
    const repository = "https://github.com/mgmt-sdk/mgmt";
    expect(page("guides/paging")).toContain(`href="${repository}/edit/main/docs/guides/paging.md"`);
    expect(page("reference/projects")).toContain(`href="${repository}/tree/main/openapi"`);
    expect(page("cli/projects")).toContain(`href="${repository}/tree/main/packages/cli/src/commands"`);
  });

  it("serves llms.txt, every page that it lists as Markdown, and all of them as llms-full.txt", () => {
    const index = readFileSync(join(built, "llms.txt"), "utf8");
    expect(index).toMatch(/^# mgmt\n\n> .+\n\n## Quickstarts\n\n- \[/);
    const listed = linksOf(index);
    expect(listed).toContain("docs/reference/projects.md");
    expect(listed.filter((page) => !existsSync(join(built, page)))).toEqual([]);
    const full = readFileSync(join(built, "llms-full.txt"), "utf8");
    expect(listed.filter((page) => !full.includes(`\n<!-- ${page} -->\n\n# `))).toEqual([]);
  });
});

/** Evaluates a property of each picture of a terminal that the reader sees. */
const visiblePictures = (page: Page, property: string): Promise<unknown[]> =>
  page.evaluate(
    `[...document.querySelectorAll(".terminal img")].filter((image) => image.checkVisibility()).map((image) => image.${property})`,
  );

describe("the website in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  const shown = {
    home: "/",
    "get-started": "/docs/",
    "try-it": "/docs/try-it",
    quickstart: "/docs/quickstart/terminal",
    why: "/docs/why",
    compare: "/docs/compare",
    guide: "/docs/guides/local-service",
    example: "/examples/saas/",
    command: "/docs/cli/projects",
    topics: "/docs/cli/topics",
    method: "/docs/reference/projects",
    types: "/docs/reference/types",
    mock: "/docs/mock",
    package: "/packages/cli/",
  };
  const open = async (
    path: string,
    { width = 1280, colorScheme = "light" }: { width?: number; colorScheme?: "light" | "dark" } = {},
  ): Promise<{ page: Page; others: string[] }> => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    const others = await serveTo(page);
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
    return { page, others };
  };

  it("shows the install line, a terminal, and a program on the home page", async () => {
    const { page } = await open("/");
    expect(await page.locator("main pre").first().innerText()).toMatch(/^npm install --global @mgmt\/cli/);
    expect(await visiblePictures(page, "naturalWidth > 300")).toEqual([true]);
    expect(await page.locator("main pre", { hasText: "createClient" }).count()).toBe(1);
    await page.getByRole("link", { name: "Write an app in TypeScript or JavaScript", exact: true }).click();
    await page.waitForURL(`${origin}/docs/quickstart/app`);
    await page.close();
  });

  it.each(Object.entries(shown))(
    "has no accessibility problem, light and dark, wide and narrow: %s",
    async (name, path) => {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [1280, 360]) {
          const { page, others } = await open(path, { width, colorScheme });
          const errors = browserErrorsOf(page);
          await saveScreenshot(page, `${name}-${String(width)}-${colorScheme}`);
          expect(await page.evaluate("document.documentElement.classList.contains('dark')")).toBe(
            colorScheme === "dark",
          );
          expect(await overflow(page), `${name} at ${String(width)} px`).toBe(0);
          expect(await accessibilityProblems(page), `${name} at ${String(width)} px, ${colorScheme}`).toEqual(
            [],
          );
          expect(errors).toEqual([]);
          expect(others).toEqual([]);
          await page.close();
        }
      }
    },
  );

  it("shows the pictures in the colors that the reader chose", async () => {
    const { page } = await open("/docs/quickstart/terminal");
    expect(
      (await visiblePictures(page, "src")).every((source) => String(source).endsWith(".light.svg")),
    ).toBe(true);
    await page.getByRole("switch").first().click();
    expect((await visiblePictures(page, "src")).length).toBeGreaterThan(2);
    expect((await visiblePictures(page, "src")).every((source) => String(source).endsWith(".dark.svg"))).toBe(
      true,
    );
    await page.close();
  });

  it("runs the README's program on the page Try it, to which another page leads", async () => {
    const { page, others } = await open("/docs/mock");
    const errors = browserErrorsOf(page);
    await page.locator(".VPSidebar").getByRole("link", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page
      .getByRole("log", { name: "Output" })
      .getByText(/^proj_\w+ provisioning$/)
      .waitFor();
    await page.getByRole("switch").first().click();
    await page.locator(".VPSidebar").getByRole("link", { name: "Why mgmt" }).click();
    await page.waitForURL(`${origin}/docs/why`);
    expect(errors).toEqual([]);
    expect(others).toEqual([]);
    await page.close();
  });

  it("finds a guide and a command by words in their text", async () => {
    const { page } = await open("/docs/");
    for (const [words, link] of [
      ["rate limits", "/docs/guides/rate-limits"],
      ["mgmt databases restore", "/docs/cli/databases"],
    ] as const) {
      await page.getByRole("button", { name: "Search" }).first().click();
      await page.locator(".VPLocalSearchBox input").fill(words);
      await page.locator(`.VPLocalSearchBox a[href^="${link}"]`).first().waitFor();
      await page.keyboard.press("Escape");
    }
    await page.close();
  });

  it("opens the sidebar on a small screen", async () => {
    const { page } = await open("/docs/guides/paging", { width: 360 });
    const link = page.locator(".VPSidebar").getByRole("link", { name: "Rate limits" });
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await link.click();
    await page.waitForURL(`${origin}/docs/guides/rate-limits`);
    await page.close();
  });
});
