import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pageMocks } from "../../src/browser/page-mocks.js";
import type { CreateWorker } from "../../src/browser/page-worker.js";
import { WorkerMock, type WorkerMockOptions } from "../../src/browser/worker-mock.js";
import { MockError } from "@mgmt/mock";
import { FakePage, storageOf } from "./fake-page.js";

describe("a mock in a page", () => {
  let page: FakePage;
  let defects: MockError[];
  beforeEach(() => {
    page = new FakePage();
    page.open();
    defects = [];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await pageMocks.running?.stop();
    page.close();
  });

  const onDefect = (error: unknown): void => {
    if (!(error instanceof MockError)) throw error;
    defects.push(error);
  };
  const setup = (options: WorkerMockOptions = {}, createWorker: CreateWorker = page.createWorker) =>
    new WorkerMock({ ...options, onDefect }, createWorker);
  const namesIn = (mock: WorkerMock): string[] => mock.store.projects.list({}).map(({ name }) => name);
  const list = async (mock: WorkerMock): Promise<number> => {
    const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
    return (await fetch(`${mock.baseUrl}/v1/projects`, { headers })).status;
  };
  const createWith = async (mock: WorkerMock, init: RequestInit): Promise<number> => {
    const headers = {
      authorization: `Bearer ${await mock.tokens.user()}`,
      "content-type": "application/json",
    };
    return (await fetch(`${mock.baseUrl}/v1/projects`, { method: "POST", headers, ...init })).status;
  };
  const project = '{"name":"shop","createDatabase":false}';
  /** Returns the error of a start, with what it says. */
  const failureOf = async (mock: WorkerMock): Promise<{ code: string; message: string }> => {
    const error: unknown = await mock.start().catch((reason: unknown) => reason);
    if (!(error instanceof MockError)) throw error;
    return { code: error.code, message: error.message };
  };

  describe("that cannot start", () => {
    /** Its requests do not reach the page. */
    const deaf: CreateWorker = () => ({ start: async () => undefined, stop: () => undefined });

    it("says so when the page has no secure address", async () => {
      page.open({ isSecure: false });
      expect(await failureOf(setup())).toEqual({
        code: "mock:insecure_page",
        message: expect.stringMatching(/^http:\/\/app\.test is not a secure .+ https: or at localhost$/),
      });
    });

    it("passes on why the browser refuses the worker script", async () => {
      const mime = "The script has an unsupported MIME type ('text/html').";
      const refusing: CreateWorker = () => ({
        start: () =>
          Promise.reject(new Error(`[MSW] Failed to register the Service Worker:\n\n${mime}\n\nMore: …`)),
        stop: () => undefined,
      });
      const { code, message } = await failureOf(setup({}, refusing));
      expect(code).toBe("mock:worker_missing");
      expect(message).toContain(mime);
      expect(message).toContain("npx msw init");
      expect(message).not.toContain("More:");
    });

    it("ends a start of MSW 3 that has failed, so that another one can follow", async () => {
      const stop = vi.fn();
      const start = (): Promise<never> => Promise.reject(new Error("404"));
      const refusing: CreateWorker = () => Object.assign({ start, stop }, { readyState: 0 });
      expect((await failureOf(setup({}, refusing))).code).toBe("mock:worker_missing");
      expect(stop).toHaveBeenCalledOnce();
    });

    it("says so when the worker script is not that of MSW", async () => {
      vi.useFakeTimers();
      const silent: CreateWorker = () => ({ start: () => new Promise(() => {}), stop: () => undefined });
      const failure = failureOf(setup({}, silent));
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await failure).toEqual({
        code: "mock:worker_silent",
        message: expect.stringMatching(/\/mockServiceWorker\.js has not answered .+ npx msw init/),
      });
    });

    it("says so when its requests do not reach it, as in a page outside of the scope", async () => {
      expect(await failureOf(setup({}, deaf))).toEqual({
        code: "mock:not_intercepted",
        message: expect.stringMatching(/https:\/\/api\.mgmt\.test .+ \/shop\/ is in the scope/),
      });
    });

    const registration = async () => ({});

    it("loads a page again that the browser keeps apart from its worker", async () => {
      page.open({ registration });
      void setup({}, deaf).start();
      await vi.waitFor(() => expect(page.reload).toHaveBeenCalledOnce());
      page.leave();
    });

    it.each([
      ["is not in the scope of the worker", {}],
      ["has just been loaded again", { registration, isReloaded: true }],
      ["may not ask for its worker", { registration: () => Promise.reject(new DOMException("Denied")) }],
    ])("does not load a page again that %s", async (_which, options) => {
      page.open(options);
      expect((await failureOf(setup({}, deaf))).code).toBe("mock:not_intercepted");
      expect(page.reload).not.toHaveBeenCalled();
    });

    const other = { scriptURL: "http://app.test/sw.js" };
    const script = { scriptURL: "http://app.test/mockServiceWorker.js" };
    const denied = (): never => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    it.each([
      ["is active", { active: script }],
      ["is installed", { active: other, installing: null, waiting: script }],
    ])("loads a page again that its worker does not control, but could: it %s", async (_what, workers) => {
      const createWorker = vi.fn(page.createWorker);
      page.open({ registrations: [{ scope: "http://app.test/", ...workers }] });
      void setup({}, createWorker).start();
      await vi.waitFor(() => expect(page.reload).toHaveBeenCalledOnce());
      expect(createWorker).not.toHaveBeenCalled();
      page.leave();
    });

    it.each([
      ["has been loaded again for that", { scope: "http://app.test/" }, { isReloaded: true }],
      [
        "has been loaded again, and has no storage",
        { scope: "http://app.test/" },
        { isReloaded: true, storage: denied },
      ],
      ["is out of the scope of its worker", { scope: "http://app.test/below/" }, {}],
    ])("lets MSW not load a page without end that %s", async (_which, registration, options) => {
      const createWorker = vi.fn(page.createWorker);
      page.open({ registrations: [{ ...registration, active: script }], ...options });
      const { code, message } = await failureOf(setup({}, createWorker));
      expect(code).toBe("mock:not_intercepted");
      expect(message).toContain("Bypass for network");
      expect(page.reload).not.toHaveBeenCalled();
      expect(createWorker).not.toHaveBeenCalled();
    });

    it("may be loaded again for its worker another time after it has started", async () => {
      page.open({ isReloaded: true });
      await setup().start();
      expect(page.storage.items.size).toBe(0);
    });

    it.each([
      ["resolves without a registration", async () => undefined, "mock:workers_blocked"],
      ["refuses it", () => Promise.reject(new Error("404")), "mock:worker_missing"],
      ["registers a worker", async () => ({}), "mock:worker_missing"],
    ])(
      "says who prevents it from registering a worker, if the function for it %s",
      async (_how, register, code) => {
        page.open({ register });
        const refusing: CreateWorker = () => ({
          start: () => Promise.reject(new TypeError("Cannot read properties of undefined")),
          stop: () => undefined,
        });
        expect((await failureOf(setup({}, refusing))).code).toBe(code);
      },
    );

    it.each([
      ["connect-src", "https://api.mgmt.test/?probe", /to connect-src: https:\/\/api\.mgmt\.test https:/],
      [
        "worker-src",
        "http://app.test/mockServiceWorker.js",
        /script \/mockServiceWorker\.js.+worker-src 'self'/,
      ],
      ["require-trusted-types-for", "trusted-types-sink", /trustedTypes\.createPolicy\("default"/],
    ])(
      "says what the content security policy must allow when its %s blocks it",
      async (directive, url, hint) => {
        const blocked: CreateWorker = () => ({
          start: async () => {
            page.violate(directive, url);
            throw new Error("An unknown error occurred");
          },
          stop: () => undefined,
        });
        expect(await failureOf(setup({}, blocked))).toEqual({
          code: "mock:blocked_by_policy",
          message: expect.stringMatching(hint),
        });
      },
    );

    it.each([
      ["blocks something else", "https://statistics.test/", "enforce"],
      ["only reports it", "https://api.mgmt.test/", "report"],
    ] as const)("does not blame a content security policy that %s", async (_which, url, disposition) => {
      const elsewhere: CreateWorker = () => ({
        start: async () => {
          page.violate("connect-src", url, disposition);
          return undefined;
        },
        stop: () => undefined,
      });
      expect((await failureOf(setup({}, elsewhere))).code).toBe("mock:not_intercepted");
    });

    it("names the origins that the content security policy must allow", async () => {
      const baseUrl = "https://shop.test/api";
      const blocked: CreateWorker = () => ({
        start: async () => {
          page.violate("connect-src", `${baseUrl}/?probe`);
          return undefined;
        },
        stop: () => undefined,
      });
      const { message } = await failureOf(setup({ baseUrl }, blocked));
      expect(message).toMatch(/connect-src: https:\/\/shop\.test(?: |$)/);
      expect(message).not.toContain("/api");
    });

    it("starts if its requests arrive although the content security policy has blocked one", async () => {
      const mock = setup();
      const started = mock.start();
      page.violate("connect-src", "https://api.mgmt.test/");
      await started;
      expect(await list(mock)).toBe(200);
    });

    it.each<[string, unknown, string]>([
      ["a misspelled option", { workerURL: "/worker.js" }, "Did you mean workerUrl?"],
      [
        "a misspelled word",
        { onUnhandledRequest: "eror" },
        "onUnhandledRequest must be one of bypass, warn, error",
      ],
      ["a URL object", { workerUrl: new URL("http://app.test/worker.js") }, "workerUrl must be a string"],
      ["a number as the scope", { scope: 5 }, "scope must be a string"],
      [
        "one handler",
        { handlers: http.get("/", () => undefined) },
        "handlers must be an array of request handlers",
      ],
      ["null", null, "The argument must be an object"],
    ])("refuses %s, and does not start", async (_which, options, message) => {
      const createWorker = vi.fn(page.createWorker);
      const mock = setup({}, createWorker);
      // What a JavaScript program passes.
      const started: unknown = Reflect.apply(mock.start.bind(mock), undefined, [options]);
      await expect(started).rejects.toThrow(TypeError);
      await expect(started).rejects.toThrow(message);
      expect(createWorker).not.toHaveBeenCalled();
    });

    it("leaves the page to the next one", async () => {
      await failureOf(setup({}, deaf));
      const mock = setup();
      await mock.start();
      expect(await list(mock)).toBe(200);
    });
  });

  it("works where there are no service workers, but MSW is", async () => {
    page.open({ hasServiceWorkers: false });
    const mock = setup();
    await mock.start();
    expect(await list(mock)).toBe(200);
    expect(defects).toEqual([]);
  });

  describe("beside another worker of MSW", () => {
    const other = (): Promise<unknown> =>
      page.createWorker(http.get("https://other.test/", () => HttpResponse.text("other"))).start();

    it("receives its requests when the other one has started before", async () => {
      await other();
      const mock = setup();
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(defects).toEqual([]);
    });

    it("reports once that its requests do not reach it any longer", async () => {
      const mock = setup();
      await mock.start();
      await other();
      await expect(list(mock)).rejects.toThrow("Failed to fetch");
      await expect(list(mock)).rejects.toThrow("Failed to fetch");
      await vi.waitFor(() => expect(defects).not.toEqual([]));
      expect(defects.map(({ code, message }) => ({ code, message }))).toEqual([
        {
          code: "mock:second_worker",
          message: expect.stringMatching(
            /has started another setupWorker\(\), which .+ mock\.start\(\{ handlers \}\)/,
          ),
        },
      ]);
    });

    it("reports it as soon as the other one says that it has started", async () => {
      const mock = setup();
      await mock.start();
      await other();
      page.receive({ type: "MOCKING_ENABLED" });
      await vi.waitFor(() => expect(defects.map(({ code }) => code)).toEqual(["mock:second_worker"]));
    });

    it.each([
      ["another page has started", { type: "MOCKING_ENABLED" }],
      ["the script has something else to say", { type: "KEEPALIVE_RESPONSE" }],
      ["a worker of the app sends no object", "hello"],
      ["a worker of the app sends nothing", null],
    ])("reports nothing when %s", async (_when, message) => {
      const mock = setup();
      await mock.start();
      page.receive(message);
      expect(await list(mock)).toBe(200);
      await mock.stop();
      expect(defects).toEqual([]);
    });
  });

  describe("whose worker does not pass its requests on any longer", () => {
    const codes = (): string[] => defects.map(({ code }) => code);
    const settled = async (): Promise<void> => {
      await vi.waitFor(() => expect(page.worker?.hasPage).toBe(true));
    };

    it("tells a worker about the page that was ended, before the next request", async () => {
      const mock = setup();
      await mock.start();
      for (let count = 0; count < 2; count += 1) {
        page.forget();
        expect(await Promise.all([list(mock), list(mock)])).toEqual([200, 200]);
      }
      expect(page.network).toEqual([]);
      expect(codes()).toEqual([]);
    });

    it.each(["pageshow", "visibilitychange", "beforeunload"])(
      "tells the worker about the page on %s, for requests that nothing else checks",
      async (name) => {
        const mock = setup();
        await mock.start();
        page.forget();
        page.dispatch(name);
        await settled();
        await mock.stop();
        page.forget();
        page.dispatch(name);
        await new Promise((resolve) => setTimeout(resolve));
        expect(page.worker?.hasPage).toBe(false);
      },
    );

    it.each(["http://app.test/sw.js", null])(
      "refuses requests, and says so once, when the page is controlled by %s",
      async (scriptURL) => {
        const mock = setup();
        await mock.start();
        page.control(scriptURL);
        for (let count = 0; count < 2; count += 1) await expect(list(mock)).rejects.toThrow(TypeError);
        expect(page.network).toEqual([]);
        expect(codes()).toEqual(["mock:worker_replaced"]);
        expect(defects[0]?.message).toContain(scriptURL ?? "nothing");
        expect(defects[0]?.message).not.toContain("Bearer");
      },
    );

    it("runs again after it was lost, if it is started again", async () => {
      const mock = setup();
      await mock.start();
      page.control("http://app.test/sw.js");
      await expect(list(mock)).rejects.toThrow(TypeError);
      page.control("http://app.test/mockServiceWorker.js");
      await expect(list(mock)).rejects.toThrow(TypeError);
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(codes()).toEqual(["mock:worker_replaced"]);
    });

    it("refuses requests also if the callback for defects throws", async () => {
      const onThrow = (): never => {
        throw new Error("It is broken, too");
      };
      const mock = new WorkerMock({ onDefect: onThrow }, page.createWorker);
      await mock.start();
      page.control("http://app.test/sw.js");
      for (let count = 0; count < 2; count += 1) await expect(list(mock)).rejects.toThrow(TypeError);
      expect(page.network).toEqual([]);
    });

    it("starts with a new version of the worker script", async () => {
      const createWorker = vi.fn(page.createWorker);
      const mock = setup({}, createWorker);
      await mock.start();
      page.control("http://app.test/mockServiceWorker.js");
      expect(await list(mock)).toBe(200);
      expect(createWorker).toHaveBeenCalledTimes(2);
      expect(codes()).toEqual([]);
    });

    it("starts again when the worker does not confirm that it knows the page", async () => {
      const createWorker = vi.fn(page.createWorker);
      const mock = setup({}, createWorker);
      await mock.start();
      if (page.worker) page.worker.isSilent = true;
      page.forget();
      vi.useFakeTimers();
      const response = fetch(`${mock.baseUrl}/v1/me`);
      await vi.advanceTimersByTimeAsync(20_000);
      expect((await response).status).toBe(401);
      expect(createWorker).toHaveBeenCalledTimes(2);
    });

    it("does not believe another worker that says it knows the page", async () => {
      const mock = setup();
      await mock.start();
      if (page.worker) page.worker.isSilent = true;
      page.forget();
      vi.useFakeTimers();
      let isDone = false;
      const response = fetch(`${mock.baseUrl}/v1/me`).finally(() => {
        isDone = true;
      });
      await vi.advanceTimersByTimeAsync(10_000);
      page.receive({ type: "MOCKING_ENABLED" }, null);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(isDone).toBe(false);
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await response).status).toBe(401);
      expect(page.network).toEqual([]);
    });

    it("sends what the caller meant, although the caller changes it during the check", async () => {
      const mock = setup();
      await mock.start();
      page.forget();
      const headers = new Headers({ "content-type": "application/json" });
      headers.set("authorization", `Bearer ${await mock.tokens.user()}`);
      const init = { method: "POST", headers, body: project };
      const answer = fetch(`${mock.baseUrl}/v1/projects`, init);
      init.body = "{}";
      headers.delete("authorization");
      expect((await answer).status).toBe(201);
    });

    it("checks requests whatever their URLs are written with, and no others", async () => {
      const mock = setup();
      await mock.start();
      page.control("http://app.test/sw.js");
      const { baseUrl } = mock;
      for (const input of [
        new Request(`${baseUrl}/v1/me`),
        new URL(`${baseUrl}/v1/me`),
        "HTTPS://API.mgmt.test:443/v1/me",
        { toString: () => `${baseUrl}/v1/me` },
      ]) {
        const sent: unknown = Reflect.apply(fetch, undefined, [input]);
        await expect(sent).rejects.toMatchObject({ cause: { code: "mock:worker_replaced" } });
      }
      expect(page.network).toEqual([]);
      for (const input of ["https://other.test/", "https://api.mgmt.test.evil.test/"])
        await expect(fetch(input)).rejects.toThrow("Failed to fetch");
      expect(page.network).toEqual(["https://other.test/", "https://api.mgmt.test.evil.test/"]);
    });

    it("leaves the functions of the page as they were when it stops", async () => {
      const { fetch, XMLHttpRequest } = globalThis;
      const mock = setup();
      await mock.start();
      expect([globalThis.fetch, globalThis.XMLHttpRequest]).not.toContain(fetch);
      const wrapper: typeof fetch = (input, init) => guarded(input, init);
      const guarded = globalThis.fetch;
      globalThis.fetch = wrapper;
      await mock.stop();
      expect([globalThis.fetch, globalThis.XMLHttpRequest]).toEqual([wrapper, XMLHttpRequest]);
      await expect(globalThis.fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow("Failed to fetch");
      expect(page.network).toEqual([`${mock.baseUrl}/v1/me`]);
    });

    describe("and that uses XMLHttpRequest", () => {
      /** Sends a request, and resolves with how it ends. */
      const send = (url: string, act: (xhr: XMLHttpRequest) => void = () => undefined, isAsync = true) =>
        new Promise<string>((resolve) => {
          const xhr = new XMLHttpRequest();
          for (const type of ["load", "error"]) xhr.addEventListener(type, () => resolve(type));
          xhr.open("GET", url, isAsync);
          xhr.send();
          act(xhr);
          setTimeout(() => resolve("nothing"), 20);
        });

      it("sends it when the worker knows the page", async () => {
        const mock = setup();
        await mock.start();
        page.forget();
        expect(await send(`${mock.baseUrl}/v1/me`)).toBe("load");
        expect(page.worker?.hasPage).toBe(true);
        expect(await send("/other")).toBe("load");
      });

      it("refuses it when the worker was replaced, and no other request", async () => {
        const mock = setup();
        await mock.start();
        page.control("http://app.test/sw.js");
        expect(await send(`${mock.baseUrl}/v1/me`)).toBe("error");
        expect(await send("/other")).toBe("load");
        expect(page.sentByXhr).toEqual(["/other"]);
      });

      it("sends nothing that was aborted, or opened again, meanwhile", async () => {
        const mock = setup();
        await mock.start();
        expect(await send(`${mock.baseUrl}/v1/me`, (xhr) => xhr.abort())).toBe("nothing");
        expect(await send(`${mock.baseUrl}/v1/me`, (xhr) => xhr.open("GET", "/other"))).toBe("nothing");
        expect(page.sentByXhr).toEqual([]);
      });

      it("sends what the page waits for at once", async () => {
        const mock = setup();
        await mock.start();
        page.control("http://app.test/sw.js");
        expect(await send(`${mock.baseUrl}/v1/me`, undefined, false)).toBe("load");
      });
    });
  });

  describe("that is set up again, as after a hot reload", () => {
    it("finds the changes that the earlier one has just made", async () => {
      const first = setup({ persist: "session" });
      await first.start();
      await first.seed.project({ name: "late" });
      const second = setup({ persist: "session" });
      await second.start();
      expect(namesIn(second)).toEqual(["late"]);
    });

    it("has the state of a snapshot that it gets, and not the stored one", async () => {
      const first = setup({ persist: "session" });
      await first.start();
      await first.seed.project({ name: "stored" });
      const source = setup();
      await source.seed.project({ name: "explicit" });
      const second = setup({ persist: "session", snapshot: source.snapshot() });
      expect(namesIn(second)).toEqual(["explicit"]);
      await second.start();
      await second.seed.project({ name: "later" });
      page.leave();
      expect(namesIn(setup({ persist: "session" })).toSorted()).toEqual(["explicit", "later"]);
    });

    it("keeps its own changes, and no later ones of the earlier one", async () => {
      const first = setup({ persist: "session" });
      await first.start();
      const second = setup({ persist: "session" });
      await second.start();
      await second.seed.project({ name: "new" });
      await first.seed.project({ name: "old" });
      await first.stop();
      page.leave();
      expect(namesIn(setup({ persist: "session" }))).toEqual(["new"]);
    });

    it("takes over while the earlier one still starts", async () => {
      const first = setup();
      const second = setup();
      await Promise.all([first.start(), second.start()]);
      expect(await list(second)).toBe(200);
      expect([first.requests.length, second.requests.length]).toEqual([0, 1]);
    });

    it("starts once, although it is told to twice", async () => {
      const createWorker = vi.fn(page.createWorker);
      const mock = setup({}, createWorker);
      await Promise.all([mock.start(), mock.start()]);
      await mock.start();
      expect(createWorker).toHaveBeenCalledOnce();
    });

    it("runs after it was started, stopped, and started at once", async () => {
      const mock = setup();
      await Promise.all([mock.start(), mock.stop(), mock.start()]);
      expect(await list(mock)).toBe(200);
    });

    it("does not wait forever for the script of an older MSW to confirm that it has stopped", async () => {
      const forgetful: CreateWorker = (...handlers) => ({
        ...page.createWorker(...handlers),
        stop: () => new Promise<void>(() => {}),
      });
      const first = setup({}, forgetful);
      await first.start();
      vi.useFakeTimers();
      const started = setup().start();
      await vi.advanceTimersByTimeAsync(2_000);
      await started;
    });
  });

  describe("that keeps its state", () => {
    it("has what was there when the page was left in the middle of a request", async () => {
      const mock = setup({ persist: "session" });
      await mock.start();
      await mock.seed.project({ name: "kept" });
      const fault = mock.faults.add({ operation: "projects.create", latency: 60_000 });
      const left = new AbortController();
      const answer = createWith(mock, { body: project, signal: left.signal }).catch(() => "cut");
      await vi.waitFor(() => expect(mock.faults.list()).toMatchObject([{ id: fault.id, struck: 1 }]));
      page.leave();
      expect(namesIn(setup({ persist: "session" }))).toEqual(["kept"]);
      left.abort();
      await answer;
    });

    it("keeps 10,000 rows, in the room that browsers have", async () => {
      // Five million characters.
      const storage = storageOf(5_000_000);
      page.open({ storage: () => storage });
      const mock = setup({ persist: "session" });
      await mock.start();
      const { id } = await mock.seed.project();
      const snapshot = mock.snapshot();
      const { projects } = snapshot.store;
      projects.rows = projects.rows.flatMap(([, row]) =>
        Array.from({ length: 10_000 }, (_, count): [number, typeof row] => [
          count,
          { ...row, id: `${id.slice(0, -5)}${String(count).padStart(5, "0")}` },
        ]),
      );
      projects.next = 10_000;
      await mock.load(snapshot);
      expect(namesIn(setup({ persist: "session" }))).toHaveLength(10_000);
      expect(defects).toEqual([]);
    });

    it("works, and says so once, when the storage has no room for its rows", async () => {
      const storage = storageOf(10_000);
      page.open({ storage: () => storage });
      const mock = setup({ persist: "session" });
      await mock.start();
      for (let count = 0; count < 100; count += 1) await mock.seed.project();
      page.leave();
      await mock.stop();
      expect(namesIn(mock)).toHaveLength(100);
      expect(defects.map(({ code }) => code)).toEqual(["mock:storage_full"]);
    });

    it.each([
      [
        "denies it",
        () => {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      ],
      ["has none", () => null],
    ])("works, and says so, when the browser %s", async (_how, storage) => {
      page.open({ storage });
      const mock = setup({ persist: "session" });
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(defects.map(({ code }) => code)).toEqual(["mock:storage_denied"]);
    });
  });

  it("reads a body that is a stream", async () => {
    const mock = setup();
    await mock.start();
    const body = new Blob([project]).stream();
    const streamed: RequestInit & { duplex: "half" } = { body, duplex: "half" };
    expect(await createWith(mock, streamed)).toBe(201);
    expect(namesIn(mock)).toEqual(["shop"]);
  });

  it("responds to a request that should outlive the page", async () => {
    const mock = setup();
    await mock.start();
    expect(await createWith(mock, { body: project, keepalive: true })).toBe(201);
  });
});
