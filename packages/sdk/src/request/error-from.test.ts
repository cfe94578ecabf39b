import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ConflictError,
  ConnectionError,
  DatabaseBusyError,
  InvalidArgumentError,
  TimeoutError,
  type TransportResponse,
  createClient,
  isApiError,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { immediatePauses } from "../../test/immediate-pauses.js";
import { closedUrl, json, startServer, thrown } from "../../test/server.js";

const conflict = { status: 409, code: "x", message: "m", method: "GET", path: "/", details: {} };

describe("a missing response", () => {
  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])("causes a ConnectionError that names the reason and preserves the cause (%s)", async (_, transport) => {
    const baseUrl = closedUrl;
    const client = createClient({
      baseUrl,
      token: "secret-token",
      transport: transport(),
    });
    const error = await thrown(client.projects.list({ logicalId: "x" }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      name: "ConnectionError",
      code: "connection:failed",
      method: "GET",
      url: `${baseUrl}/v1/projects`,
      message: `GET ${baseUrl}/v1/projects got no complete response (ECONNREFUSED)`,
      cause: expect.any(Error),
    });
  });

  it.each([
    'RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.',
    "Failed to construct 'Request': member signal is not of type AbortSignal.",
    "Failed to execute 'fetch' on 'Window': member signal is not of type AbortSignal.",
    "Window.fetch: 'signal' member of RequestInit does not implement interface AbortSignal.",
  ])("is not asked for again when fetch refuses the request: %s", async (message) => {
    const fetch = vi.fn(() => Promise.reject(new TypeError(message)));
    const client = createClient({ baseUrl: "https://api.example.com", token: false, fetch });
    const error = await thrown(client.me.get());
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({
      code: "argument:invalid",
      message: `fetch refused the request: ${message}`,
      hint: expect.stringContaining("Nothing was sent."),
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it.each([
    new TypeError("Failed to fetch"),
    new TypeError("Load failed"),
    new TypeError("NetworkError when attempting to fetch resource."),
    new TypeError("fetch failed", { cause: new Error("RequestInit: other side closed") }),
    new Error("RequestInit: this is no TypeError"),
  ])("is asked for again when the network failed: %s", async (cause) => {
    const fetch = vi.fn(() => Promise.reject(cause));
    const client = createClient({
      baseUrl: "https://api.example.com",
      token: false,
      fetch,
      timers: immediatePauses,
    });
    expect(await thrown(client.me.get())).toMatchObject({ code: "connection:failed" });
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  it("says that there is no fetch", async () => {
    vi.stubGlobal("fetch", undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = createClient({ baseUrl: "https://api.example.com", token: false });
    const error = await thrown(client.me.get());
    expect(error).toMatchObject({
      code: "argument:invalid",
      message: "fetch is missing, and this environment has none of its own",
      hint: expect.stringContaining("nodeTransport()"),
    });
  });

  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])("causes a ConnectionError when the response is interrupted (%s)", async (_, transport) => {
    const { baseUrl } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"data":', () => response.destroy());
    });
    const error = await thrown(
      createClient({ baseUrl, token: false, transport: transport() }).projects.get("x"),
    );
    expect(error).toMatchObject({ name: "ConnectionError", code: "connection:failed" });
  });

  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])(
    "causes a ConnectionError when the connection is cut, instead of a raw TypeError (%s)",
    async (_, transport) => {
      const { baseUrl } = await startServer((_request, response) => response.destroy());
      const error = await thrown(
        createClient({ baseUrl, token: false, transport: transport() }).projects.create(),
      );
      expect(error).toMatchObject({ name: "ConnectionError", method: "POST" });
    },
  );

  it("causes a ConnectionError whatever a transport throws", async () => {
    for (const reason of [new Error("broken pipe"), "text", undefined]) {
      const transport = { send: () => Promise.reject(reason) };
      const error = await thrown(
        createClient({ baseUrl: "https://x.test", token: false, transport }).me.get(),
      );
      expect(error).toBeInstanceOf(ConnectionError);
    }
  });

  it("causes a ConnectionError when a transport returns something other than a response", async () => {
    for (const rubbish of [undefined, null, 5, {}, { status: 200, body: "{}" }]) {
      // A transport written in JavaScript can return anything.
      const transport = { send: () => Promise.resolve(rubbish as unknown as TransportResponse) };
      const error = await thrown(
        createClient({ baseUrl: "https://x.test", token: false, transport }).projects.create(),
      );
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        reason: "the transport returned no response",
        attempts: [{ pauseMs: 0 }],
      });
    }
  });
});

describe("isApiError", () => {
  it("returns false for anything that is not an error response of the service", () => {
    for (const each of [
      undefined,
      null,
      "x",
      {},
      new Error("x"),
      { code: "app:already_exists", status: 409 },
    ]) {
      expect(isApiError(each)).toBe(false);
      expect(isApiError(each, "app:already_exists")).toBe(false);
    }
  });

  it("distinguishes codes", () => {
    const error: unknown = new DatabaseBusyError({ ...conflict, code: "database:busy" });
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, "database:busy")).toBe(true);
    expect(isApiError(error, "app:already_exists")).toBe(false);
  });

  it("does not match the caller's own subclasses", () => {
    class OwnError extends ConflictError {}
    const error: unknown = new ConflictError(conflict);
    expect(error).not.toBeInstanceOf(OwnError);
    const own = new OwnError(conflict);
    expect(own).toBeInstanceOf(OwnError);
    expect(own).toBeInstanceOf(ConflictError);
  });
});

describe("JSON that is nested deeper than a stack", () => {
  const levels = 20_000;
  const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;

  it.each([
    ["in a value", 200, `{"data":{"id":"x","password":"p","more":${deep}}}`, undefined],
    ["in place of an item", 200, `{"data":[${deep}],"pagination":{"hasMore":false}}`, "response:invalid"],
    ["that is cut off", 200, "[".repeat(levels), "response:invalid"],
    ["in a message", 404, `{"error":{"code":"project:not_found","message":"${deep}"}}`, "project:not_found"],
    ["beside a code", 404, `{"error":{"code":"project:not_found","x":${deep}}}`, "project:not_found"],
    ["in place of a code", 404, `{"error":{"code":${deep}}}`, "http:404"],
    ["in issues", 422, `{"error":{"code":"validation:failed","issues":${deep}}}`, "validation:failed"],
  ])("leads to a value or an error with a code %s, also with debug output", async (_, status, body, code) => {
    for (const debug of [false, () => undefined]) {
      const send = async (): Promise<TransportResponse> => ({ status, headers: {}, body });
      const client = createClient({ baseUrl: "https://api.test", token: false, transport: { send }, debug });
      const { error } = await client.safe.projects.get("proj_1");
      const isList = body.includes("pagination");
      expect(error?.code).toBe(isList ? undefined : code);
      if (error) expect(JSON.stringify(error).length).toBeLessThan(1_000_000);
    }
  });
});

describe("the stack of an error", () => {
  it("shows who called (undici #1599)", async () => {
    const { baseUrl } = await startServer((_, response) =>
      json(response, 404, { error: { code: "x", message: "m" } }),
    );
    const client = createClient({ baseUrl, token: false });
    const findProject = async () => await client.projects.get("x");
    const error = await thrown(findProject());
    expect((error as Error).stack).toContain("findProject");
  });

  it.each([
    ["is a list of call sites (winston #401)", (_: Error, sites: NodeJS.CallSite[]) => sites],
    ["is missing", () => undefined],
    ["is null", () => null],
  ])("does not replace the error when it %s", async (_, prepare) => {
    const body = '{"error":{"code":"project:not_found","message":"m"}}';
    const send = async (): Promise<TransportResponse> => ({ status: 404, headers: {}, body });
    const client = createClient({ baseUrl: "https://api.test", token: false, transport: { send } });
    const { prepareStackTrace } = Error;
    Error.prepareStackTrace = prepare;
    const error = await thrown(client.projects.get("x")).finally(() => {
      Error.prepareStackTrace = prepareStackTrace;
    });
    expect(isApiError(error, "project:not_found")).toBe(true);
  });
});
