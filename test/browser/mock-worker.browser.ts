import { readFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import type * as mockEntry from "../../packages/mock/src/browser.js";
import { launchChromium } from "./chromium.js";
import { bundleForPage } from "./page-bundle.js";

/** What the page of these tests has as globals. */
declare global {
  interface Window {
    kit: Pick<typeof mockEntry, "setupMockWorker"> & {
      other: () => { start(options: object): Promise<unknown> };
    };
    mock: mockEntry.WorkerMock;
    defects: string[];
  }
}

const program = `
import { setupMockWorker } from "@mgmt/mock/browser";
import { setupWorker } from "msw/browser";
window.kit = { setupMockWorker, other: () => setupWorker() };
window.defects = [];
`;

const workerScript = readFileSync(fileURLToPath(import.meta.resolve("msw/mockServiceWorker.js")), "utf8");

describe("a mock in a page", () => {
  let browser: Browser;
  let context: BrowserContext;
  let server: Server;
  let origin: string;
  let page: Page;
  /** Requests that reached the network. */
  let received: string[];
  beforeAll(async () => {
    await ensureBuilt();
    const html = `<!doctype html><title>App</title><script type="module">${await bundleForPage(program)}</script>`;
    browser = await launchChromium();
    server = createServer(({ url = "" }, response) => {
      received.push(url);
      const path = url.split("?")[0];
      const isScript = path === "/mockServiceWorker.js" || path === "/below/mockServiceWorker.js";
      if (isScript) response.setHeader("content-type", "text/javascript");
      else if (path !== "/" && path !== "/below/") response.statusCode = 404;
      else response.setHeader("content-type", "text/html");
      response.end(isScript ? workerScript : path === "/" || path === "/below/" ? html : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  beforeEach(async () => {
    received = [];
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction(() => "kit" in window);
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const reload = async (): Promise<void> => {
    await page.reload();
    await page.waitForFunction(() => "kit" in window);
  };
  const start = (options: mockEntry.WorkerMockOptions = {}) =>
    page.evaluate(async (given) => {
      const onDefect = (error: unknown) =>
        window.defects.push(error instanceof Error && "code" in error ? String(error.code) : String(error));
      window.mock = window.kit.setupMockWorker({ ...given, onDefect });
      await window.mock.start();
    }, options);
  /** Returns the code and the message of the error that a call in the page ends with. */
  const failureOf = (call: () => Promise<unknown>) =>
    page.evaluate(
      `(${call.toString()})().then(() => null, (error) => ({ code: error.code, message: error.message }))`,
    );

  it("responds to fetch at its base URL, and sends none of those requests", async () => {
    await start();
    received = [];
    const answers = await page.evaluate(async () => {
      const headers = {
        authorization: `Bearer ${await window.mock.tokens.user()}`,
        "content-type": "application/json",
      };
      const url = `${window.mock.baseUrl}/v1/projects`;
      const created = await fetch(url, {
        method: "POST",
        headers,
        body: '{"name":"shop","createDatabase":false}',
      });
      const listed = await fetch(url, { headers });
      const { data } = (await listed.json()) as { data: { name: string }[] };
      return [created.status, listed.status, data.map(({ name }) => name), window.mock.requests.length];
    });
    expect(answers).toEqual([201, 200, ["shop"], 2]);
    expect(received).toEqual([]);
  });

  it("has clients, a clock, and faults", async () => {
    await start({ deterministic: "page" });
    const result = await page.evaluate(async () => {
      const { mock } = window;
      mock.faults.add({ operation: "projects.list", status: 503, times: 1 });
      const before = mock.clock.now();
      const page = await mock.client().projects.list();
      return { count: page.data.length, hasWaited: mock.clock.now() > before };
    });
    expect(result).toEqual({ count: 0, hasWaited: true });
  });

  it.each(["session", "local"] as const)(
    "keeps the state of %s storage through a reload",
    async (persist) => {
      await start({ persist });
      const id = await page.evaluate(async () => (await window.mock.seed.project({ name: "kept" })).id);
      await reload();
      await start({ persist });
      expect(await page.evaluate(() => window.mock.store.projects.list({}).map((row) => row.id))).toEqual([
        id,
      ]);
      await page.evaluate(() => window.mock.reset());
      await reload();
      await start({ persist });
      expect(await page.evaluate(() => window.mock.store.projects.list({}))).toEqual([]);
      expect(await page.evaluate(() => window.defects)).toEqual([]);
    },
  );

  it("starts anew, and says so, when what was kept cannot be read", async () => {
    await page.evaluate(() => sessionStorage.setItem("@mgmt/mock default", '{"snapshot":{"version":9}}'));
    await start({ persist: "session" });
    expect(await page.evaluate(() => window.defects)).toEqual(["mock:kept_state_unusable"]);
    await reload();
    await start({ persist: "session" });
    expect(await page.evaluate(() => window.defects)).toEqual([]);
  });

  it("works, and says so, when the storage is full", async () => {
    await page.evaluate(() => {
      for (let size = 4_000_000; size > 0; size = Math.floor(size / 2)) {
        try {
          sessionStorage.setItem(`other ${String(size)}`, "x".repeat(size));
        } catch {
          // A smaller one may fit.
        }
      }
    });
    await start({ persist: "session" });
    await page.evaluate(() => window.mock.seed.project({ name: "lost" }));
    await page.waitForFunction(() => window.defects.length > 0);
    expect(await page.evaluate(() => window.defects)).toEqual(["mock:storage_full"]);
  });

  it("takes over when set-up runs again", async () => {
    await start();
    await page.evaluate(() => window.mock.seed.project({ name: "old" }));
    await start();
    const count = await page.evaluate(async () => {
      const headers = { authorization: `Bearer ${await window.mock.tokens.user()}` };
      const listed = await fetch(`${window.mock.baseUrl}/v1/projects`, { headers });
      const { data } = (await listed.json()) as { data: unknown[] };
      return [listed.status, data.length, window.mock.requests.length];
    });
    expect(count).toEqual([200, 0, 1]);
  });

  it("says what to do when there is no worker script at the path", async () => {
    expect(
      await failureOf(() => window.kit.setupMockWorker().start({ workerUrl: "/elsewhere.js" })),
    ).toMatchObject({
      code: "mock:worker_missing",
      message: expect.stringMatching(/\/elsewhere\.js.+npx msw init/),
    });
  });

  it("says what to do when the page is not in the scope of the worker", async () => {
    expect(
      await failureOf(() => window.kit.setupMockWorker().start({ workerUrl: "/below/mockServiceWorker.js" })),
    ).toMatchObject({ code: "mock:not_intercepted", message: expect.stringContaining("scope") });
  });

  it("says what to do when client() is called before start()", async () => {
    expect(await failureOf(async () => window.kit.setupMockWorker().client())).toMatchObject({
      code: "mock:not_started",
      message: expect.stringContaining("mock.start()"),
    });
  });

  it("refuses another place to keep the state", async () => {
    expect(
      await failureOf(async () => window.kit.setupMockWorker({ persist: "cookie" as "local" })),
    ).toMatchObject({ message: 'persist must be "session" or "local"' });
  });
});
