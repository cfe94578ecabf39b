import { http } from "msw";
import { describe, expect, it, vi } from "vitest";
import type { CreateWorker } from "./page-worker.js";
import { type WorkerMock } from "./worker-mock.js";
import { MockError } from "@mgmt/mock";
import { list, setupPage } from "../../test/browser/setup-page.js";

describe("a mock in a page", () => {
  const world = setupPage();
  const { setup } = world;
  /** Returns the error of a start, with what it says. */
  const failureOf = async (mock: WorkerMock): Promise<{ code: string; message: string }> => {
    const error: unknown = await mock.start().catch((reason: unknown) => reason);
    if (!(error instanceof MockError)) throw error;
    return { code: error.code, message: error.message };
  };

  describe("that cannot start", () => {
    /** Its requests do not reach the world.page. */
    const deaf: CreateWorker = () => ({ start: async () => undefined, stop: () => undefined });

    it("says so when the page has no secure address", async () => {
      world.page.open({ isSecure: false });
      expect(await failureOf(setup())).toEqual({
        code: "mock:insecure_page",
        message: expect.stringMatching(/^http:\/\/app\.test is not a secure .+ https: or at localhost$/),
      });
    });

    it("passes on why the browser refuses the worker script", async () => {
      const mime = "The script has an unsupported MIME type ('text/html').";
      const rejecting: CreateWorker = () => ({
        start: () =>
          Promise.reject(new Error(`[MSW] Failed to register the Service Worker:\n\n${mime}\n\nMore: …`)),
        stop: () => undefined,
      });
      const { code, message } = await failureOf(setup({}, rejecting));
      expect(code).toBe("mock:worker_missing");
      expect(message).toContain(mime);
      expect(message).toContain("npx msw init");
      expect(message).not.toContain("More:");
    });

    it("ends a start of MSW 3 that has failed, so that another one can follow", async () => {
      const stop = vi.fn();
      const start = (): Promise<never> => Promise.reject(new Error("404"));
      const rejecting: CreateWorker = () => Object.assign({ start, stop }, { readyState: 0 });
      expect((await failureOf(setup({}, rejecting))).code).toBe("mock:worker_missing");
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

    it("ends a start that succeeds after that", async () => {
      vi.useFakeTimers();
      const stop = vi.fn();
      let finishStart: (outcome: undefined) => void = () => undefined;
      const start = (): Promise<undefined> => new Promise((resolve) => (finishStart = resolve));
      const failure = failureOf(setup({}, () => ({ start, stop })));
      await vi.advanceTimersByTimeAsync(20_000);
      await failure;
      expect(stop).not.toHaveBeenCalled();
      finishStart(undefined);
      await vi.advanceTimersByTimeAsync(0);
      expect(stop).toHaveBeenCalledOnce();
    });

    it("says so when its requests do not reach it, as in a page outside of the scope", async () => {
      expect(await failureOf(setup({}, deaf))).toEqual({
        code: "mock:not_intercepted",
        message: expect.stringMatching(/https:\/\/api\.mgmt\.test .+ \/shop\/ is in the scope/),
      });
    });

    const registration = async () => ({});

    it("loads a page again that the browser keeps apart from its worker", async () => {
      world.page.open({ registration });
      void setup({}, deaf).start();
      await vi.waitFor(() => expect(world.page.reload).toHaveBeenCalledOnce());
      world.page.leave();
    });

    it.each([
      ["is not in the scope of the worker", {}],
      ["has just been loaded again", { registration, isReloaded: true }],
      ["may not ask for its worker", { registration: () => Promise.reject(new DOMException("Denied")) }],
    ])("does not load a page again that %s", async (_which, options) => {
      world.page.open(options);
      expect((await failureOf(setup({}, deaf))).code).toBe("mock:not_intercepted");
      expect(world.page.reload).not.toHaveBeenCalled();
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
      const createWorker = vi.fn(world.page.createWorker);
      world.page.open({ registrations: [{ scope: "http://app.test/", ...workers }] });
      void setup({}, createWorker).start();
      await vi.waitFor(() => expect(world.page.reload).toHaveBeenCalledOnce());
      expect(createWorker).not.toHaveBeenCalled();
      world.page.leave();
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
      const createWorker = vi.fn(world.page.createWorker);
      world.page.open({ registrations: [{ ...registration, active: script }], ...options });
      const { code, message } = await failureOf(setup({}, createWorker));
      expect(code).toBe("mock:not_intercepted");
      expect(message).toContain("Bypass for network");
      expect(world.page.reload).not.toHaveBeenCalled();
      expect(createWorker).not.toHaveBeenCalled();
    });

    it("may be loaded again for its worker another time after it has started", async () => {
      world.page.open({ isReloaded: true });
      await setup().start();
      expect(world.page.storage.items.size).toBe(0);
    });

    it.each([
      ["resolves without a registration", async () => undefined, "mock:workers_blocked"],
      ["refuses it", () => Promise.reject(new Error("404")), "mock:worker_missing"],
      ["registers a worker", async () => ({}), "mock:worker_missing"],
    ])(
      "says who prevents it from registering a worker, if the function for it %s",
      async (_how, register, code) => {
        world.page.open({ register });
        const rejecting: CreateWorker = () => ({
          start: () => Promise.reject(new TypeError("Cannot read properties of undefined")),
          stop: () => undefined,
        });
        expect((await failureOf(setup({}, rejecting))).code).toBe(code);
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
            world.page.violate(directive, url);
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
          world.page.violate("connect-src", url, disposition);
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
          world.page.violate("connect-src", `${baseUrl}/?probe`);
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
      world.page.violate("connect-src", "https://api.mgmt.test/");
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
      const createWorker = vi.fn(world.page.createWorker);
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
});
