import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpResponse, http, passthrough } from "msw";
import { setupServer } from "msw/node";
import { setupMock } from "@mgmt/mock";
import { createTest } from "@mgmt/mock/vitest";
import { createClient } from "@mgmt/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

const balance = (value: number) =>
  http.get("https://payments.example.com/balance", () => HttpResponse.json({ value }));
const balanceNow = async (): Promise<unknown> => (await fetch("https://payments.example.com/balance")).json();

/** Counts the requests that reach a host on this machine. */
const startHost = async (): Promise<{ url: string; server: Server; count: () => number }> => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("real");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}/`, server, count: () => requests };
};

/** Returns a function that two tests call, and that resolves for both when the second has called it. */
const meeting = (): (() => Promise<void>) => {
  let arrived = 0;
  let open: () => void = () => undefined;
  const both = new Promise<void>((resolve) => (open = resolve));
  return () => {
    arrived += 1;
    if (arrived === 2) open();
    return both;
  };
};

describe("createTest({ server })", () => {
  let reached = 0;
  const server = setupServer(
    balance(5),
    http.all("*/v1/*", () => {
      reached += 1;
      return HttpResponse.json({ data: [] });
    }),
  );
  const test = createTest({ server });
  let host: Awaited<ReturnType<typeof startHost>>;
  beforeAll(async () => {
    host = await startHost();
    server.listen({ onUnhandledRequest: "error" });
  });
  afterEach(() => server.resetHandlers());
  afterAll(() => {
    server.close();
    host.server.close();
  });

  test("responds beside the handlers of the server, and before those that match every host", async ({
    tenant,
    requestLog,
  }) => {
    const client = createClient({ baseUrl: tenant.baseUrl, token: () => tenant.tokens.user() });
    await client.projects.create({ name: "shop" });
    expect(await client.projects.list().toArray()).toHaveLength(1);
    expect(await balanceNow()).toEqual({ value: 5 });
    expect(requestLog.requests).toHaveLength(2);
    expect(reached).toBe(0);
  });

  test("stays in the server when its handlers are reset", async ({ tenant, mock }) => {
    server.resetHandlers();
    for (const { baseUrl } of [tenant, mock]) expect((await fetch(`${baseUrl}/v1/me`)).status).toBe(401);
    server.resetHandlers(balance(6));
    expect((await fetch(`${tenant.baseUrl}/v1/me`)).status).toBe(401);
    expect(await balanceNow()).toEqual({ value: 6 });
    server.resetHandlers(balance(5));
  });

  describe("with a handler that is added before each test", () => {
    test.beforeEach(() =>
      server.use(http.get("https://api.mgmt.test/v1/me", () => new Response("replaced", { status: 418 }))),
    );
    test("lets it replace a response of the mock", async ({ tenant, requestLog }) => {
      expect((await fetch(`${tenant.baseUrl}/v1/me`)).status).toBe(418);
      expect((await fetch(`${tenant.baseUrl}/v1/projects`)).status).toBe(401);
      expect(requestLog.requests).toHaveLength(1);
    });
  });

  test("sends to this machine what no handler responds to", async ({ tenant }) => {
    expect(tenant.baseUrl).toBe("https://api.mgmt.test");
    const before = host.count();
    expect(await (await fetch(host.url)).text()).toBe("real");
    expect(host.count()).toBe(before + 1);
  });

  test("sends nothing to the network that a handler responds to", async ({ tenant }) => {
    expect(tenant.baseUrl).toBe("https://api.mgmt.test");
    const before = host.count();
    server.use(http.get(host.url, () => new Response("handler")));
    expect(await (await fetch(host.url)).text()).toBe("handler");
    expect(host.count()).toBe(before);
  });

  test("sends what a handler passes on explicitly", async ({ mock }) => {
    expect(mock.faults.list()).toEqual([]);
    server.resetHandlers(http.get(host.url, () => passthrough()));
    expect(await (await fetch(host.url)).text()).toBe("real");
    server.resetHandlers(balance(5));
  });

  test("runs a handler without a response once", async ({ tenant }) => {
    let runs = 0;
    server.resetHandlers(http.all(/127\.0\.0\.1/, () => void (runs += 1)));
    expect(await (await fetch(host.url)).text()).toBe("real");
    expect([runs, tenant.baseUrl]).toEqual([1, "https://api.mgmt.test"]);
    server.resetHandlers(balance(5));
  });

  it("leaves the server to itself when no test with fixtures runs", async () => {
    server.resetHandlers(balance(5));
    await expect(fetch("https://api.mgmt.test/v1/me")).rejects.toThrow();
    expect(await balanceNow()).toEqual({ value: 5 });
  });
});

describe("createTest({ server }) before the server listens", () => {
  const server = setupServer(balance(7));
  const test = createTest({ server });
  server.use(http.get("https://api.mgmt.test/v1/projects", () => new Response("replaced", { status: 418 })));
  test("responds as soon as it does, after handlers that were added in between", async ({ tenant }) => {
    server.listen({ onUnhandledRequest: "error" });
    try {
      expect((await fetch(`${tenant.baseUrl}/v1/me`)).status).toBe(401);
      expect((await fetch(`${tenant.baseUrl}/v1/projects`)).status).toBe(418);
      expect(await balanceNow()).toEqual({ value: 7 });
    } finally {
      server.close();
    }
  });
});

describe("createTest({ handlers })", () => {
  let unused = 0;
  const test = createTest({
    handlers: [
      http.get("https://payments.example.com/balance", () => HttpResponse.json({ value: 1 }), { once: true }),
      balance(2),
      http.all("*", () => void (unused += 1)),
    ],
  });
  const other = createTest({ handlers: [balance(9)] });

  for (const time of ["first", "second"]) {
    test(`uses each handler once that has the option, the ${time} time`, async ({ tenant, mock }) => {
      expect([await balanceNow(), await balanceNow()]).toEqual([{ value: 1 }, { value: 2 }]);
      for (const { baseUrl } of [tenant, mock]) expect((await fetch(`${baseUrl}/v1/me`)).status).toBe(401);
      expect(unused).toBe(0);
    });
  }

  describe("of tests that run at the same time", () => {
    const [start, end] = [meeting(), meeting()];
    test.concurrent("keeps them apart: one", async ({ tenant, expect: check }) => {
      check(tenant.workspace.id).toMatch(/^wksp_/);
      await start();
      await balanceNow();
      check(await balanceNow()).toEqual({ value: 2 });
      await end();
    });
    other.concurrent("keeps them apart: the other", async ({ tenant, expect: check }) => {
      check(tenant.workspace.id).toMatch(/^wksp_/);
      await start();
      check(await balanceNow()).toEqual({ value: 9 });
      await end();
    });
  });

  it("leaves none of them behind", async () => {
    const mock = setupMock();
    mock.listen({ onUnhandledRequest: "error" });
    const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await expect(balanceNow()).rejects.toThrow(TypeError);
    expect(quiet).toHaveBeenCalledOnce();
    await mock.close();
  });
});

describe("createTest({ passThrough })", () => {
  const asked: string[] = [];
  const allowed = createTest({
    handlers: [http.get(/\/handled$/, () => new Response("handler"))],
    passThrough: ({ pathname }) => asked.push(pathname) > 0,
  });
  allowed(
    "decides about what neither the mock nor a handler responds to",
    async ({ tenant, onTestFinished }) => {
      const host = await startHost();
      onTestFinished(() => void host.server.close());
      expect((await fetch(`${tenant.baseUrl}/v1/me`)).status).toBe(401);
      expect(await (await fetch(`${host.url}handled`)).text()).toBe("handler");
      expect([asked, host.count()]).toEqual([[], 0]);
      expect(await (await fetch(`${host.url}sent`)).text()).toBe("real");
      expect([asked, host.count()]).toEqual([["/sent"], 1]);
    },
  );
});

describe("createTest", () => {
  const server = setupServer();
  it.each<[string, object, string]>([
    ["an unknown option", { servers: [server] }, "There is no option servers. Did you mean server?"],
    ["__proto__", JSON.parse('{ "__proto__": { "handlers": [] } }'), "There is no option __proto__"],
    ["a server and handlers", { server, handlers: [] }, "Pass server or handlers, not both"],
    [
      "a server of Node.js",
      { server: createServer() },
      "server must be what setupServer() of msw/node returns",
    ],
    ["no server", { server: null }, "server must be what setupServer() of msw/node returns"],
    ["one handler", { handlers: balance(1) }, "handlers must be an array of request handlers"],
    ["handlers in handlers", { handlers: [[balance(1)]] }, "handlers must be an array of request handlers"],
    ["a list of hosts", { passThrough: ["example.com"] }, "passThrough must be a function"],
    ["a word", { assertFaultsStruck: "yes" }, "assertFaultsStruck must be a boolean"],
  ])("refuses %s", (_, options, message) => {
    expect(() => createTest(options)).toThrow(TypeError);
    expect(() => createTest(options)).toThrow(message);
  });
});
