import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { NotFoundError, type Transport, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { answering, startServer, thrown } from "../../test/server.js";

/** Starts a server that sends the first part of a body; `open` are its responses, which have not ended. */
const endless = async (transport?: Transport) => {
  const open: ServerResponse[] = [];
  const { baseUrl, seen } = await startServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "x-request-id": "req_1" });
    response.write("first");
    open.push(response);
  });
  return { client: createClient({ baseUrl, token: false, transport }), open, seen };
};

const transports = [
  ["fetch", undefined],
  ["node:http", nodeTransport()],
] as const;

const readsEveryBody: Transport = {
  send: ({ reading: _, ...request }) => nodeTransport().send(request),
};

const logs = { method: "GET", path: "/v1/logs" } as const;

describe("asResponse", () => {
  it.each(transports)(
    "returns the response while its body is still being sent, by %s",
    async (_, transport) => {
      const { client, open, seen } = await endless(transport);
      const response = await client.request(logs).asResponse();
      expect(response).toBeInstanceOf(Response);
      expect(response).toMatchObject({ status: 200, bodyUsed: false });
      expect(response.headers.get("x-request-id")).toBe("req_1");
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).toBe("first");
      open[0]?.end("last");
      expect((await reader?.read())?.value).toBe("last");
      expect(await reader?.read()).toMatchObject({ done: true });
      expect(seen).toHaveLength(1);
    },
  );

  it.each(transports)("ends the body when the caller aborts, by %s", async (_, transport) => {
    const { client, open } = await endless(transport);
    const controller = new AbortController();
    const response = await client.request(logs, { signal: controller.signal }).asResponse();
    expect(response.headers.get("content-type")).toBe("text/plain");
    const closed = new Promise((resolve) => open[0]?.on("close", resolve));
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort("enough");
    expect(await thrown(reader?.read() ?? Promise.resolve())).toMatchObject({
      name: "AbortError",
      cause: "enough",
    });
    await closed;
  });

  it.each(transports)("fails to read a body whose connection ends early, by %s", async (_, transport) => {
    const { client, open } = await endless(transport);
    const response = await client.request(logs).asResponse();
    open[0]?.destroy();
    expect(await thrown(response.text())).toBeInstanceOf(Error);
  });

  it.each(transports)("returns a response without a body for 204, by %s", async (_, transport) => {
    const { baseUrl } = await startServer((__, response) => void response.writeHead(204).end());
    const client = createClient({ baseUrl, token: false, transport });
    const response = await client.projects.delete("proj_1").asResponse();
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 204, text: "" });
  });

  it("passes through middleware and debug output, which do not read the body", async () => {
    const { baseUrl } = await answering({ data: [1] });
    const printed: string[] = [];
    const bodies: string[] = [];
    const client = createClient({
      baseUrl,
      token: false,
      debug: (line) => void printed.push(line),
      middleware: [
        async (request, next) => {
          const response = await next(request);
          bodies.push(response.body);
          return response;
        },
      ],
    });
    expect(await (await client.request(logs).asResponse()).json()).toEqual({ data: [1] });
    expect(bodies).toEqual([""]);
    expect(printed.join("\n")).toContain("200 in");
  });

  it("throws the error of the call, and leaves no rejection unhandled", async () => {
    const { baseUrl } = await answering({ error: { code: "project:not_found", message: "Gone." } }, 404);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const client = createClient({ baseUrl, token: false });
    const error = await thrown(client.projects.get("proj_1").asResponse());
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ message: "Gone.", attempts: [{ status: 404 }] });
    expect(unhandled).toEqual([]);
  });

  it("returns the response of the first page of a list", async () => {
    const page = { data: [], pagination: { hasMore: false, nextCursor: null } };
    const { baseUrl, seen } = await answering(page);
    const response = await createClient({ baseUrl, token: false }).projects.list().asResponse();
    expect(await response.json()).toEqual(page);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["after the body was read", undefined],
    ["with a transport that reads every body", readsEveryBody],
  ])("returns a copy of the response %s", async (_, transport) => {
    const { baseUrl, seen } = await answering({ data: { id: "proj_1" } });
    const call = createClient({ baseUrl, token: false, transport }).projects.get("proj_1");
    if (!transport) expect(await call).toEqual({ id: "proj_1" });
    const response = await call.asResponse();
    expect(response).toMatchObject({ status: 200, bodyUsed: false });
    expect(response.headers.get("x-request-id")).toBe("req_1");
    expect(await response.json()).toEqual({ data: { id: "proj_1" } });
    expect(seen).toHaveLength(1);
  });
});
