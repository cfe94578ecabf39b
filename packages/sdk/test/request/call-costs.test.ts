import { createHook } from "node:async_hooks";
import { EventEmitter } from "node:events";
import http from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import { createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { json, startServer } from "../server.js";

afterEach(() => vi.unstubAllGlobals());

interface Costs {
  controllers: number;
  timers: number;
  promises: number;
  /** Of signals. */
  signalListeners: number;
  /** Of requests, responses and sockets. */
  emitterListeners: number;
}

const costsOfOne = async (call: () => Promise<unknown>): Promise<Costs> => {
  const created = { Timeout: 0, PROMISE: 0 };
  const hook = createHook({
    init: (_id, type) => {
      if (type === "Timeout" || type === "PROMISE") created[type] += 1;
    },
  });
  let controllers = 0;
  const Platform = AbortController;
  class Counted extends Platform {
    constructor() {
      super();
      controllers += 1;
    }
  }
  vi.stubGlobal("AbortController", Counted);
  const onSignals = vi.spyOn(EventTarget.prototype, "addEventListener");
  const onEmitters = [
    vi.spyOn(EventEmitter.prototype, "on"),
    vi.spyOn(EventEmitter.prototype, "addListener"),
  ];
  hook.enable();
  await call();
  hook.disable();
  const costs = {
    controllers,
    timers: created.Timeout,
    promises: created.PROMISE,
    signalListeners: onSignals.mock.calls.length,
    emitterListeners: Math.max(...onEmitters.map(({ mock }) => mock.calls.length)),
  };
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  return costs;
};

/** Returns the lowest counts of several calls, because other code of the process counts too. */
const costsOf = async (call: () => Promise<unknown>): Promise<Costs> => {
  // The first call connects, and makes the timer that others reuse.
  await call();
  const all: Costs[] = [];
  for (let count = 0; count < 10; count += 1) all.push(await costsOfOne(call));
  const least = (name: keyof Costs): number => Math.min(...all.map((each) => each[name]));
  return {
    controllers: least("controllers"),
    timers: least("timers"),
    promises: least("promises"),
    signalListeners: least("signalListeners"),
    emitterListeners: least("emitterListeners"),
  };
};

const setup = async () => {
  const { baseUrl } = await startServer((_request, response) =>
    json(response, 200, { data: [], pagination: { hasMore: false, nextCursor: null } }),
  );
  const url = `${baseUrl}/v1/projects`;
  const agent = new http.Agent({ keepAlive: true });
  /** The least that a program writes to get a list with `node:http`. */
  const withHttp = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = http.request(url, { agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      });
      request.on("error", reject);
      // Without a response, there may be no error.
      request.on("close", reject).end();
    });
  return { baseUrl, url, withHttp };
};

it("adds neither a controller, a timer nor a listener to what node:http needs for a call", async () => {
  const { baseUrl, withHttp } = await setup();
  const needed = await costsOf(withHttp);
  const client = createClient({ baseUrl, token: "t", transport: nodeTransport() });
  const costs = await costsOf(async () => (await client.projects.list()).data);
  expect(costs).toEqual({ ...needed, promises: costs.promises });
  expect(costs.promises - needed.promises).toBeLessThanOrEqual(19);
});

it("adds one controller with its listener, and no timer, to what fetch needs for a call", async () => {
  const { baseUrl, url } = await setup();
  const needed = await costsOf(async () => (await fetch(url)).json());
  const client = createClient({ baseUrl, token: "t" });
  const costs = await costsOf(async () => (await client.projects.list()).data);
  expect(costs).toEqual({
    ...needed,
    controllers: needed.controllers + 1,
    signalListeners: needed.signalListeners + 1,
    promises: costs.promises,
  });
  expect(costs.promises - needed.promises).toBeLessThanOrEqual(13);
});
