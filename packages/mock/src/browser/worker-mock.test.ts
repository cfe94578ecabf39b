import { HttpResponse, http } from "msw";
import { describe, expect, it, vi } from "vitest";
import type { CreateWorker } from "./page-worker.js";
import { WorkerMock } from "./worker-mock.js";
import { storageOf } from "../../test/browser/fake-page.js";
import { list, setupPage } from "../../test/browser/setup-page.js";

describe("a mock in a page", () => {
  const world = setupPage();
  const { setup } = world;
  const namesIn = (mock: WorkerMock): string[] => mock.store.projects.list({}).map(({ name }) => name);
  const createWith = async (mock: WorkerMock, init: RequestInit): Promise<number> => {
    const headers = {
      authorization: `Bearer ${await mock.tokens.user()}`,
      "content-type": "application/json",
    };
    return (await fetch(`${mock.baseUrl}/v1/projects`, { method: "POST", headers, ...init })).status;
  };
  const project = '{"name":"shop","createDatabase":false}';

  it("works where there are no service workers, but MSW is", async () => {
    world.page.open({ hasServiceWorkers: false });
    const mock = setup();
    await mock.start();
    expect(await list(mock)).toBe(200);
    expect(world.defects).toEqual([]);
  });

  describe("beside another worker of MSW", () => {
    const other = (): Promise<unknown> =>
      world.page.createWorker(http.get("https://other.test/", () => HttpResponse.text("other"))).start();

    it("receives its requests when the other one has started before", async () => {
      await other();
      const mock = setup();
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(world.defects).toEqual([]);
    });

    it("reports once that its requests do not reach it any longer", async () => {
      const mock = setup();
      await mock.start();
      await other();
      await expect(list(mock)).rejects.toThrow("Failed to fetch");
      await expect(list(mock)).rejects.toThrow("Failed to fetch");
      await vi.waitFor(() => expect(world.defects).not.toEqual([]));
      expect(world.defects.map(({ code, message }) => ({ code, message }))).toEqual([
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
      world.page.receive({ type: "MOCKING_ENABLED" });
      await vi.waitFor(() => expect(world.defects.map(({ code }) => code)).toEqual(["mock:second_worker"]));
    });

    it.each([
      ["another page has started", { type: "MOCKING_ENABLED" }],
      ["the script has something else to say", { type: "KEEPALIVE_RESPONSE" }],
      ["a worker of the app sends no object", "hello"],
      ["a worker of the app sends nothing", null],
    ])("reports nothing when %s", async (_when, message) => {
      const mock = setup();
      await mock.start();
      world.page.receive(message);
      expect(await list(mock)).toBe(200);
      await mock.stop();
      expect(world.defects).toEqual([]);
    });
  });

  describe("whose worker does not pass its requests on any longer", () => {
    const codes = (): string[] => world.defects.map(({ code }) => code);
    const settled = async (): Promise<void> => {
      await vi.waitFor(() => expect(world.page.worker?.hasPage).toBe(true));
    };

    it("tells a worker about the page that was ended, before the next request", async () => {
      const mock = setup();
      await mock.start();
      for (let count = 0; count < 2; count += 1) {
        world.page.forget();
        expect(await Promise.all([list(mock), list(mock)])).toEqual([200, 200]);
      }
      expect(world.page.network).toEqual([]);
      expect(codes()).toEqual([]);
    });

    it.each(["pageshow", "visibilitychange", "beforeunload"])(
      "tells the worker about the page on %s, for requests that nothing else checks",
      async (name) => {
        const mock = setup();
        await mock.start();
        world.page.forget();
        world.page.dispatch(name);
        await settled();
        await mock.stop();
        world.page.forget();
        world.page.dispatch(name);
        await new Promise((resolve) => setTimeout(resolve));
        expect(world.page.worker?.hasPage).toBe(false);
      },
    );

    it.each(["http://app.test/sw.js", null])(
      "refuses requests, and says so once, when the page is controlled by %s",
      async (scriptURL) => {
        const mock = setup();
        await mock.start();
        world.page.control(scriptURL);
        for (let count = 0; count < 2; count += 1) await expect(list(mock)).rejects.toThrow(TypeError);
        expect(world.page.network).toEqual([]);
        expect(codes()).toEqual(["mock:worker_replaced"]);
        expect(world.defects[0]?.message).toContain(scriptURL ?? "nothing");
        expect(world.defects[0]?.message).not.toContain("Bearer");
      },
    );

    it("runs again after it was lost, if it is started again", async () => {
      const mock = setup();
      await mock.start();
      world.page.control("http://app.test/sw.js");
      await expect(list(mock)).rejects.toThrow(TypeError);
      world.page.control("http://app.test/mockServiceWorker.js");
      await expect(list(mock)).rejects.toThrow(TypeError);
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(codes()).toEqual(["mock:worker_replaced"]);
    });

    it("refuses requests also if the callback for world.defects throws", async () => {
      const onThrow = (): never => {
        throw new Error("It is broken, too");
      };
      const mock = new WorkerMock({ onDefect: onThrow }, world.page.createWorker);
      await mock.start();
      world.page.control("http://app.test/sw.js");
      for (let count = 0; count < 2; count += 1) await expect(list(mock)).rejects.toThrow(TypeError);
      expect(world.page.network).toEqual([]);
    });

    it("starts with a new version of the worker script", async () => {
      const createWorker = vi.fn(world.page.createWorker);
      const mock = setup({}, createWorker);
      await mock.start();
      world.page.control("http://app.test/mockServiceWorker.js");
      expect(await list(mock)).toBe(200);
      expect(createWorker).toHaveBeenCalledTimes(2);
      expect(codes()).toEqual([]);
    });

    it("starts again when the worker does not confirm that it knows the page", async () => {
      const createWorker = vi.fn(world.page.createWorker);
      const mock = setup({}, createWorker);
      await mock.start();
      if (world.page.worker) world.page.worker.isSilent = true;
      world.page.forget();
      vi.useFakeTimers();
      const response = fetch(`${mock.baseUrl}/v1/me`);
      await vi.advanceTimersByTimeAsync(20_000);
      expect((await response).status).toBe(401);
      expect(createWorker).toHaveBeenCalledTimes(2);
    });

    it("does not believe another worker that says it knows the page", async () => {
      const mock = setup();
      await mock.start();
      const { worker } = world.page;
      if (worker) worker.isSilent = true;
      world.page.forget();
      vi.useFakeTimers();
      let isDone = false;
      const response = fetch(`${mock.baseUrl}/v1/me`).finally(() => {
        isDone = true;
      });
      await vi.advanceTimersByTimeAsync(10_000);
      world.page.receive({ type: "MOCKING_ENABLED" }, null);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(isDone).toBe(false);
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await response).status).toBe(401);
      expect(world.page.network).toEqual([]);
      // Later confirmations are answers to nothing, so they are a reason to look for another worker.
      if (worker) worker.isSilent = false;
      await world.page.createWorker(http.all("*", () => HttpResponse.text("other"))).start();
      world.page.receive({ type: "MOCKING_ENABLED" });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(world.defects.map(({ code }) => code)).toEqual(["mock:second_worker"]);
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
      world.page.leave();
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
      world.page.leave();
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
      const createWorker = vi.fn(world.page.createWorker);
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
        ...world.page.createWorker(...handlers),
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

  it.each([undefined, "session"] as const)(
    "responds to a change after afterMutation, where persist is %s",
    async (persist) => {
      let storedCount = 0;
      const afterMutation = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        storedCount += 1;
      };
      const mock = setup({ persist, afterMutation });
      await mock.start();
      expect(await createWith(mock, { body: project })).toBe(201);
      expect(storedCount).toBe(1);
    },
  );

  describe("that keeps its state", () => {
    it("has what was there when the page was left in the middle of a request", async () => {
      const mock = setup({ persist: "session" });
      await mock.start();
      await mock.seed.project({ name: "kept" });
      const fault = mock.faults.add({ operation: "projects.create", latency: 60_000 });
      const left = new AbortController();
      const answer = createWith(mock, { body: project, signal: left.signal }).catch(() => "cut");
      await vi.waitFor(() => expect(mock.faults.list()).toMatchObject([{ id: fault.id, struck: 1 }]));
      world.page.leave();
      expect(namesIn(setup({ persist: "session" }))).toEqual(["kept"]);
      left.abort();
      await answer;
    });

    it("keeps 10,000 rows, in the room that browsers have", async () => {
      // Five million characters.
      const storage = storageOf(5_000_000);
      world.page.open({ storage: () => storage });
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
      expect(world.defects).toEqual([]);
    });

    it("works, and says so once, when the storage has no room for its rows", async () => {
      const storage = storageOf(10_000);
      world.page.open({ storage: () => storage });
      const mock = setup({ persist: "session" });
      await mock.start();
      for (let count = 0; count < 100; count += 1) await mock.seed.project();
      world.page.leave();
      await mock.stop();
      expect(namesIn(mock)).toHaveLength(100);
      expect(world.defects.map(({ code }) => code)).toEqual(["mock:storage_full"]);
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
      world.page.open({ storage });
      const mock = setup({ persist: "session" });
      await mock.start();
      expect(await list(mock)).toBe(200);
      expect(world.defects.map(({ code }) => code)).toEqual(["mock:storage_denied"]);
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
