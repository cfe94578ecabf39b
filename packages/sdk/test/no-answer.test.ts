import { describe, expect, it } from "vitest";
import {
  ConflictError,
  ConnectionError,
  DatabaseBusyError,
  TimeoutError,
  type TransportResponse,
  createClient,
  isApiError,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { closedUrl, json, startServer, thrown } from "./server.js";

const conflict = { status: 409, code: "x", message: "m", method: "GET", path: "/", details: {} };

describe("no answer", () => {
  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])("is a ConnectionError that names the reason and keeps the cause (%s)", async (_, transport) => {
    const baseUrl = await closedUrl();
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
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])("is a ConnectionError when the answer breaks off (%s)", async (_, transport) => {
    const { baseUrl } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"data":', () => response.destroy());
    });
    const error = await thrown(createClient({ baseUrl, transport: transport() }).projects.get("x"));
    expect(error).toMatchObject({ name: "ConnectionError", code: "connection:failed" });
  });

  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])(
    "is a ConnectionError when the connection is cut, no raw TypeError as in the public client (%s)",
    async (_, transport) => {
      const { baseUrl } = await startServer((_request, response) => response.destroy());
      const error = await thrown(createClient({ baseUrl, transport: transport() }).projects.create());
      expect(error).toMatchObject({ name: "ConnectionError", method: "POST" });
    },
  );

  it("is a ConnectionError whatever a transport throws", async () => {
    for (const reason of [new Error("broken pipe"), "text", undefined]) {
      const transport = { send: () => Promise.reject(reason) };
      const error = await thrown(createClient({ baseUrl: "http://x.test", transport }).me.get());
      expect(error).toBeInstanceOf(ConnectionError);
    }
  });

  it("is a ConnectionError when a transport answers nothing that could be an answer", async () => {
    for (const rubbish of [undefined, null, 5, {}, { status: 200, body: "{}" }]) {
      // What a transport written in JavaScript may do.
      const transport = { send: () => Promise.resolve(rubbish as unknown as TransportResponse) };
      const error = await thrown(createClient({ baseUrl: "http://x.test", transport }).projects.create());
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        reason: "the transport returned no response",
        attempts: [{ pauseMs: 0 }],
      });
    }
  });
});

describe("isApiError", () => {
  it("is false for anything that is no answer of the service", () => {
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

  it("tells codes apart", () => {
    const error: unknown = new DatabaseBusyError({ ...conflict, code: "database:busy" });
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, "database:busy")).toBe(true);
    expect(isApiError(error, "app:already_exists")).toBe(false);
  });

  it("does not take an error for one of a caller's own subclass", () => {
    class OwnError extends ConflictError {}
    const error: unknown = new ConflictError(conflict);
    expect(error).not.toBeInstanceOf(OwnError);
    const own = new OwnError(conflict);
    expect(own).toBeInstanceOf(OwnError);
    expect(own).toBeInstanceOf(ConflictError);
  });
});

describe("the stack of an error", () => {
  it("shows who called (undici #1599)", async () => {
    const { baseUrl } = await startServer((_, response) =>
      json(response, 404, { error: { code: "x", message: "m" } }),
    );
    const client = createClient({ baseUrl });
    const findProject = async () => await client.projects.get("x");
    const error = await thrown(findProject());
    expect((error as Error).stack).toContain("findProject");
  });
});
