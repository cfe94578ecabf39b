import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchChromium } from "../browser/chromium.js";
import { bundle } from "./bundle.js";
import { copyPackages, link } from "./example.js";

const installed = inject("installed");

const program = `
import { setupMockWorker } from "@mgmt/mock/browser";
globalThis.useMock = async () => {
  const missing = await setupMockWorker().start({ workerUrl: "/elsewhere.js" }).catch(({ code }) => code);
  const mock = setupMockWorker();
  await mock.start({ onUnhandledRequest: "error" });
  const headers = { authorization: "Bearer " + (await mock.tokens.user()), "content-type": "application/json" };
  const url = mock.baseUrl + "/v1/projects";
  const body = JSON.stringify({ name: "shop", createDatabase: false });
  const created = await fetch(url, { method: "POST", headers, body });
  const listed = await (await fetch(url, { headers })).json();
  const gone = await (await fetch(url + "/proj_gone", { headers })).json();
  // MSW 3 responds with a status of 500 instead of failing.
  const other = await fetch("/other").then(({ ok }) => (ok ? "a response" : "an error"), () => "an error");
  mock.faults.add({ operation: "projects.list", drop: "before", times: 1 });
  const dropped = await fetch(url, { headers }).then(() => "a response", () => "an error");
  const { data } = await mock.client().projects.list();
  await mock.stop();
  return [missing, created.status, listed.data.length, gone.error.code, other, dropped, data.length];
};
let mock;
const defects = [];
globalThis.startMock = async () => {
  mock = setupMockWorker({ baseUrl: location.origin + "/api", onDefect: ({ code }) => defects.push(code) });
  await mock.start();
};
globalThis.list = async () => {
  const answer = await fetch(mock.baseUrl + "/v1/me").then(({ status }) => status, () => "an error");
  return [answer, ...defects];
};
globalThis.registerOwnWorker = async () => {
  const replaced = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  await navigator.serviceWorker.register("/sw.js");
  await replaced;
};
`;

/** The worker of an app. */
const ownWorker = `
addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
`;

describe.each(["msw-2.10", "msw-3"])("the packed mock in a page, with %s", (msw) => {
  let browser: Browser | undefined;
  let server: Server;

  beforeAll(async () => {
    const folder = join(installed, `page-${msw}`);
    await copyPackages(installed, folder);
    await link(folder, "msw", msw);
    const { code, imports } = await bundle(folder, program);
    expect(imports).toEqual([]);
    const script = await readFile(join(folder, "node_modules/msw/lib/mockServiceWorker.js"), "utf8");
    const files: Record<string, { type: string; text: string }> = {
      "/": { type: "text/html", text: '<!doctype html><script type="module" src="/program.js"></script>' },
      "/program.js": { type: "text/javascript", text: code },
      "/mockServiceWorker.js": { type: "text/javascript", text: script },
      "/sw.js": { type: "text/javascript", text: ownWorker },
      "/other": { type: "text/plain", text: "" },
    };
    server = createServer(({ url = "" }, response) => {
      const file = files[url];
      response.writeHead(file ? 200 : 404, { "content-type": file?.type ?? "text/plain" }).end(file?.text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  it("starts after a failed start, creates, lists, throws, drops connections, and lets requests to other hosts pass only if it should", async () => {
    const page = await browser?.newPage();
    // It listens on a port.
    await page?.goto(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    await page?.waitForFunction(() => "useMock" in globalThis);
    expect(await page?.evaluate("useMock()")).toEqual([
      "mock:worker_missing",
      201,
      1,
      "project:not_found",
      "an error",
      "an error",
      1,
    ]);
  });

  it("responds after the browser has ended the worker, and refuses requests after the app has registered its own", async () => {
    const context = await browser?.newContext();
    const page = await context?.newPage();
    if (!context || !page) throw new Error("There is no browser");
    await page.goto(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    await page.waitForFunction(() => "startMock" in globalThis);
    await page.evaluate("startMock()");
    const devTools = await context.newCDPSession(page);
    await devTools.send("ServiceWorker.enable");
    await devTools.send("ServiceWorker.stopAllWorkers");
    expect(await page.evaluate("list()")).toEqual([401]);
    await page.evaluate("registerOwnWorker()");
    expect(await page.evaluate("list()")).toEqual(["an error", "mock:worker_replaced"]);
    await context.close();
  });
});
