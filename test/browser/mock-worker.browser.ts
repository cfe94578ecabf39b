import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
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

/** The program of a Web Worker, with a mock of its own. */
const programOfWorker = `
import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
addEventListener("message", async ({ data: snapshot }) => {
  const client = createClient(setupMock({ snapshot }).clientOptions());
  postMessage((await client.projects.list().toArray()).map(({ name }) => name));
});
`;

const workerScript = readFileSync(fileURLToPath(import.meta.resolve("msw/mockServiceWorker.js")), "utf8");

/** Worker scripts by their paths. */
const scripts: Readonly<Record<string, string>> = {
  "/mockServiceWorker.js": workerScript,
  "/below/mockServiceWorker.js": workerScript,
  // That of an app, as tools for offline apps write it.
  "/sw.js": `
    addEventListener("install", () => self.skipWaiting());
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", () => undefined);
  `,
  // It says that it is that of MSW.
  "/liar.js": `
    addEventListener("install", () => self.skipWaiting());
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("message", ({ source }) => source.postMessage({ type: "MOCKING_ENABLED" }));
    addEventListener("fetch", () => undefined);
  `,
  // That of another version of MSW.
  "/other-version.js": workerScript.replace(/(INTEGRITY_CHECKSUM|PACKAGE_VERSION) = '.*'/g, "$1 = 'other'"),
};

/** What the program of a page in a frame does as soon as it is loaded. */
const startInFrame = `
window.mock = window.kit.setupMockWorker();
await mock.start();
await fetch(mock.baseUrl + "/v1/projects");
`;

/** What the program of a page does that starts its mock by itself. */
const startAtOnce = `
const mock = window.kit.setupMockWorker({ baseUrl: location.origin + "/api" });
mock.start().then(
  () => (window.mock = Object.assign(mock, { status: "started" })),
  ({ code }) => window.defects.push(code),
);
`;

/** Content security policies by the paths of their pages. */
const policies: Readonly<Record<string, string>> = {
  "/policy/requests/": "connect-src 'self'",
  "/policy/worker/": "worker-src 'none'",
  "/policy/types/": "require-trusted-types-for 'script'",
};

describe("a mock in a page", () => {
  let browser: Browser;
  let context: BrowserContext;
  let server: Server;
  let html: string;
  /** HTML by its path. */
  let pages: Record<string, string>;
  let origin: string;
  let page: Page;
  /** Requests that reached the network. */
  let received: string[];
  let webWorker: string;
  beforeAll(async () => {
    await ensureBuilt();
    html = `<!doctype html><title>App</title><script type="module">${await bundleForPage(program)}</script>`;
    webWorker = await bundleForPage(programOfWorker);
    const inFrame = html.replace("</script>", `${startInFrame}</script>`);
    pages = {
      "/": html,
      "/below/": html,
      "/frame/": '<iframe src="/framed/"></iframe>',
      "/framed/": inFrame,
      "/starting/": html.replace("</script>", `${startAtOnce}</script>`),
    };
    for (const path of Object.keys(policies)) pages[path] = html;
    browser = await launchChromium();
    server = createServer(({ url = "" }, response) => {
      received.push(url);
      const [path = ""] = url.split("?");
      if (path === "/nothing") return void response.writeHead(204).end();
      if (path === "/file")
        return void response.writeHead(200, { "content-disposition": "attachment" }).end("text");
      const script = path === "/web-worker.js" ? webWorker : scripts[path];
      const content = pages[path];
      if (script !== undefined) response.setHeader("content-type", "text/javascript");
      else if (content !== undefined) response.setHeader("content-type", "text/html");
      else response.statusCode = 404;
      const policy = policies[path];
      if (policy !== undefined) response.setHeader("content-security-policy", policy);
      response.end(script ?? content);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  beforeEach(async () => {
    received = [];
    context = await browser.newContext();
    page = await context.newPage();
    await open(origin);
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const isReady = () => page.waitForFunction(() => "kit" in window);
  const open = async (url: string): Promise<void> => {
    await page.goto(url);
    await isReady();
  };
  const reload = async (): Promise<void> => {
    await page.reload();
    await isReady();
  };
  const start = (options: mockEntry.WorkerMockOptions = {}) =>
    page.evaluate(async (given) => {
      const onDefect = (error: unknown) =>
        window.defects.push(error instanceof Error && "code" in error ? String(error.code) : String(error));
      window.mock = window.kit.setupMockWorker({ ...given, onDefect });
      await window.mock.start();
    }, options);
  /** Lists the projects as the page does, and returns the status of the response. */
  const list = () =>
    page.evaluate(async () => {
      const headers = { authorization: `Bearer ${await window.mock.tokens.user()}` };
      return fetch(`${window.mock.baseUrl}/v1/projects`, { headers }).then(
        ({ status }) => status,
        (error: unknown) => String(error),
      );
    });
  const startOther = () =>
    page.evaluate(() =>
      window.kit
        .other()
        .start({ quiet: true, onUnhandledRequest: "bypass" })
        .then(() => null),
    );
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

  it("says what to do when the page is not in the scope of the worker, also when it is loaded again", async () => {
    for (let loads = 0; loads < 2; loads += 1) {
      expect(
        await failureOf(() =>
          window.kit.setupMockWorker().start({ workerUrl: "/below/mockServiceWorker.js" }),
        ),
      ).toMatchObject({ code: "mock:not_intercepted", message: expect.stringContaining("scope") });
      await reload();
    }
  });

  it.each([
    ["/policy/requests/", /connect-src: https:/],
    ["/policy/worker/", /worker-src 'self'/],
    ["/policy/types/", /trustedTypes\.createPolicy/],
  ])("says what the content security policy of %s must allow", async (path, hint) => {
    await open(origin + path);
    expect(await failureOf(() => window.kit.setupMockWorker().start())).toEqual({
      code: "mock:blocked_by_policy",
      message: expect.stringMatching(hint),
    });
  });

  it("starts with the policy that the error about trusted types names", async () => {
    await open(`${origin}/policy/types/`);
    await page.evaluate(`trustedTypes.createPolicy("default", { createScriptURL: (url) => url })`);
    await start();
    expect(await list()).toBe(200);
  });

  it("works with the worker script of another version of MSW", async () => {
    await page.evaluate(async () => {
      window.mock = window.kit.setupMockWorker();
      await window.mock.start({ workerUrl: "/other-version.js" });
    });
    expect(await list()).toBe(200);
  });

  it("responds at a path outside of the scope, if the page is in it", async () => {
    await open(`${origin}/below/`);
    await page.evaluate(async () => {
      window.mock = window.kit.setupMockWorker({ baseUrl: `${location.origin}/api` });
      await window.mock.start({ workerUrl: "/below/mockServiceWorker.js" });
    });
    received = [];
    expect(await list()).toBe(200);
    expect(received).toEqual([]);
  });

  it("takes the place of another worker of MSW that has started before", async () => {
    await startOther();
    await start();
    expect(await list()).toBe(200);
    expect(await page.evaluate(() => window.defects)).toEqual([]);
  });

  it("reports another worker of MSW that takes its place", async () => {
    await start();
    await startOther();
    expect(await list()).toMatch(/Failed to fetch/);
    await page.waitForFunction(() => window.defects.length > 0);
    expect(await page.evaluate(() => window.defects)).toEqual(["mock:second_worker"]);
  });

  describe("whose worker forgets it, or is replaced", () => {
    /** Sends requests to an address of the server, so that it receives those that leave. Returns what each responds with. */
    const send = () =>
      page.evaluate(async () => {
        const url = `${window.mock.baseUrl}/v1/me`;
        const byXhr = new Promise((resolve) => {
          const xhr = new XMLHttpRequest();
          xhr.open("GET", url);
          xhr.onload = () => resolve(xhr.status);
          xhr.onerror = () => resolve("an error");
          xhr.send();
        });
        const byFetch = fetch(url).then(
          ({ status }) => status,
          () => "an error",
        );
        return Promise.all([byFetch, byXhr]);
      });
    const startHere = () => start({ baseUrl: `${origin}/api` });
    const sentToApi = () => received.filter((url) => url.startsWith("/api"));
    const defects = () => page.evaluate(() => window.defects);
    const register = (script: string) =>
      page.evaluate(async (url) => {
        const replaced = new Promise((resolve) =>
          navigator.serviceWorker.addEventListener("controllerchange", resolve),
        );
        await navigator.serviceWorker.register(url);
        await replaced;
      }, script);

    it("responds after the browser has ended the worker", async () => {
      await startHere();
      const devTools = await context.newCDPSession(page);
      await devTools.send("ServiceWorker.enable");
      await devTools.send("ServiceWorker.stopAllWorkers");
      expect(await send()).toEqual([401, 401]);
      expect(sentToApi()).toEqual([]);
      expect(await defects()).toEqual([]);
    });

    it.each(["/sw.js", "/liar.js"])("refuses requests after the app has registered %s", async (script) => {
      await startHere();
      await register(script);
      expect(await send()).toEqual(["an error", "an error"]);
      expect(sentToApi()).toEqual([]);
      expect(await defects()).toEqual(["mock:worker_replaced"]);
    });

    it.each([
      ["gets no content", "/nothing"],
      ["downloads a file", "/file"],
      ["opens another program", "mailto:someone@example.com"],
    ])("responds in a page that stays because it %s", async (_why, url) => {
      await startHere();
      await page.evaluate(async (target) => {
        const left = new Promise((resolve) => addEventListener("beforeunload", resolve));
        location.href = target;
        await left;
      }, url);
      expect(await send()).toEqual([401, 401]);
      expect(sentToApi()).toEqual([]);
      // An image is not checked, but the worker knows the page again.
      await page.evaluate(async () => {
        const image = new Image();
        image.src = `${window.mock.baseUrl}/image`;
        await image.decode().catch(() => undefined);
      });
      expect(sentToApi()).toEqual([]);
    });

    it("responds in a page that its visitor does not leave", async () => {
      await startHere();
      await page.evaluate(() => addEventListener("beforeunload", (event) => event.preventDefault()));
      // Chromium asks only those who have used the page.
      await page.mouse.click(1, 1);
      const asked = page.waitForEvent("dialog");
      await page.evaluate(() => void setTimeout(() => location.assign("/below/")));
      await (await asked).dismiss();
      expect(await send()).toEqual([401, 401]);
      expect(sentToApi()).toEqual([]);
      expect(await defects()).toEqual([]);
    });

    it("loads a page at most once more that the browser loads past its worker", async () => {
      await startHere();
      const second = await context.newPage();
      let loads = 0;
      second.on("load", () => (loads += 1));
      const devTools = await context.newCDPSession(second);
      await devTools.send("Network.enable");
      await devTools.send("Network.setBypassServiceWorker", { bypass: true });
      await second.goto(`${origin}/starting/`);
      await second.waitForFunction(() => window.defects?.length > 0);
      expect(await second.evaluate(() => window.defects)).toEqual(["mock:not_intercepted"]);
      expect(loads).toBe(2);
      await devTools.send("Network.setBypassServiceWorker", { bypass: false });
      await second.reload();
      await second.waitForFunction(() => window.mock !== undefined && "status" in window.mock);
    });

    it("names what blocks workers in a test", async () => {
      const blocking = await browser.newContext({ serviceWorkers: "block" });
      const blocked = await blocking.newPage();
      await blocked.goto(`${origin}/starting/`);
      await blocked.waitForFunction(() => window.defects?.length > 0);
      expect(await blocked.evaluate(() => window.defects)).toEqual(["mock:workers_blocked"]);
      await blocking.close();
    });
  });

  it("gives its state to the mock of a Web Worker", async () => {
    await start();
    const names = await page.evaluate(async () => {
      await window.mock.seed.project({ name: "shop" });
      const worker = new Worker("/web-worker.js", { type: "module" });
      const answered = new Promise((resolve) =>
        worker.addEventListener("message", ({ data }) => resolve(data)),
      );
      worker.postMessage(window.mock.snapshot());
      return answered;
    });
    expect(names).toEqual(["shop"]);
  });

  it("starts in a frame of a page that follows the only page with a mock", async () => {
    await start();
    await page.goto(`${origin}/frame/`);
    await page.waitForFunction(() => window.frames[0]?.mock?.requests.length === 1);
  });

  it("reads a body that is a stream, and responds to requests that outlive the page", async () => {
    await start();
    const statuses = await page.evaluate(async () => {
      const headers = {
        authorization: `Bearer ${await window.mock.tokens.user()}`,
        "content-type": "application/json",
      };
      const url = `${window.mock.baseUrl}/v1/projects`;
      const body = '{"name":"shop","createDatabase":false}';
      const streamed: RequestInit & { duplex: "half" } = { body: new Blob([body]).stream(), duplex: "half" };
      const first = await fetch(url, { method: "POST", headers, ...streamed });
      const second = await fetch(url, { method: "POST", headers, body, keepalive: true });
      return [first.status, second.status, window.mock.store.projects.size];
    });
    expect(statuses).toEqual([201, 201, 2]);
  });

  it("goes on after a request that the page has aborted", async () => {
    await start();
    const failure = await page.evaluate(async () => {
      const { mock } = window;
      const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
      const controller = new AbortController();
      mock.faults.add({ operation: "projects.list", latency: 600_000, times: 1 });
      const { signal } = controller;
      const answer = fetch(`${mock.baseUrl}/v1/projects`, { headers, signal });
      while (mock.faults.list().length > 0) await new Promise(requestAnimationFrame);
      controller.abort();
      return answer.then(String, (error: Error) => error.name);
    });
    expect(failure).toBe("AbortError");
    expect(await list()).toBe(200);
    expect(await page.evaluate(() => window.defects)).toEqual([]);
  });

  it("has the state from before a request in the middle of which the page was reloaded", async () => {
    await start({ persist: "session" });
    await page.evaluate(async () => {
      const { mock } = window;
      await mock.seed.project({ name: "kept" });
      mock.faults.add({ operation: "projects.list", latency: 600_000, times: 1 });
      const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
      void fetch(`${mock.baseUrl}/v1/projects`, { headers });
      while (mock.faults.list().length > 0) await new Promise(requestAnimationFrame);
    });
    await reload();
    await start({ persist: "session" });
    expect(await page.evaluate(() => window.mock.store.projects.list({}).map(({ name }) => name))).toEqual([
      "kept",
    ]);
    expect(await list()).toBe(200);
  });

  it("works in a page that was opened as a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mgmt-page-"));
    try {
      const file = join(folder, "index.html");
      writeFileSync(file, html);
      await open(pathToFileURL(file).href);
      await start({ persist: "session" });
      expect(await list()).toBe(200);
      expect(await page.evaluate(() => window.defects)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
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
