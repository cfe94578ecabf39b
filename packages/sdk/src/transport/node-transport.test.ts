import { createServer } from "node:http";
import { type AddressInfo, type Server, createServer as createTcpServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient } from "@mgmt/sdk";
import { nodeTransport, type NodeTransportOptions, ResponseTooLargeError } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server, and returns its address. */
const listen = async (server: Server): Promise<string> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
};

describe("nodeTransport", () => {
  it("reuses its connection between calls", async () => {
    let connections = 0;
    const server = createServer((_, response) => json(response, 200, { data: {} }));
    server.on("connection", () => (connections += 1));
    const transport = nodeTransport();
    const client = createClient({ baseUrl: await listen(server), token: false, transport });
    for (let call = 0; call < 5; call += 1) await client.me.get();
    expect(connections).toBe(1);
    transport.close();
    await client.me.get();
    expect(connections).toBe(2);
    transport.close();
  });

  it("opens no more connections at a time than maxSockets", async () => {
    let open = 0;
    let most = 0;
    const server = await startServer((_, response) => {
      most = Math.max(most, (open += 1));
      setTimeout(() => {
        open -= 1;
        json(response, 200, { data: {} });
      }, 5);
    });
    const client = createClient({
      baseUrl: server.baseUrl,
      token: false,
      transport: nodeTransport({ maxSockets: 2 }),
    });
    await Promise.all(Array.from({ length: 10 }, () => client.me.get()));
    expect(most).toBe(2);
  });

  it.each([0, -1, Number.NaN])("refuses %d as maxSockets, with which no call would be sent", (maxSockets) => {
    expect(() => nodeTransport({ maxSockets })).toThrowError("maxSockets must be a number above 0");
  });

  it("ends a response that is larger than maxResponseBytes, and does not ask for it again", async () => {
    let requests = 0;
    let isClosed = false;
    const server = await startServer((_, response) => {
      requests += 1;
      response.on("close", () => (isClosed = true));
      // A response that never ends.
      const write = (): void => {
        while (!response.destroyed && response.write(`{"data":"${"x".repeat(10_000)}"`));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    const transport = nodeTransport({ maxResponseBytes: 1_000_000 });
    const error = await thrown(createClient({ baseUrl: server.baseUrl, token: false, transport }).me.get());
    expect(error).toBeInstanceOf(ResponseTooLargeError);
    expect(error).toMatchObject({
      code: "response:too_large",
      message: `GET ${server.baseUrl}/v1/me got a response of more than 1000000 bytes`,
      hint: expect.stringContaining("maxResponseBytes"),
      maxResponseBytes: 1_000_000,
    });
    await vi.waitFor(() => expect(isClosed).toBe(true));
    expect(requests).toBe(1);
  });

  it("accepts a response of exactly maxResponseBytes", async () => {
    const text = JSON.stringify({ data: { id: "é".repeat(100) } });
    const server = await startServer((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(text);
    });
    const get = (maxResponseBytes: number): PromiseLike<unknown> =>
      createClient({
        baseUrl: server.baseUrl,
        token: false,
        transport: nodeTransport({ maxResponseBytes }),
      }).me.get();
    await get(Buffer.byteLength(text));
    expect(await thrown(get(Buffer.byteLength(text) - 1))).toBeInstanceOf(ResponseTooLargeError);
  });

  it.each([0, -1, Number.NaN])("refuses %d as maxResponseBytes", (maxResponseBytes) => {
    expect(() => nodeTransport({ maxResponseBytes })).toThrowError(
      "maxResponseBytes must be a number above 0",
    );
  });

  it("sends the length of a body, in bytes", async () => {
    const server = await startServer((_, response) => json(response, 201, { data: {} }));
    const client = createClient({ baseUrl: server.baseUrl, token: false, transport: nodeTransport() });
    await client.projects.create({ name: "ü" });
    await client.projects.get("x");
    expect(server.seen.map(({ headers }) => headers["content-length"])).toEqual(["13", undefined]);
    expect(server.seen[0]?.headers["transfer-encoding"]).toBeUndefined();
  });

  it("joins headers that come twice", async () => {
    const server = await startServer((_, response) => {
      response.setHeader("x-twice", ["a", "b"]);
      response.setHeader("set-cookie", ["c=1", "d=2"]);
      json(response, 200, {});
    });
    const { headers } = await nodeTransport().send({
      method: "GET",
      url: server.baseUrl,
      headers: {},
      body: undefined,
      signal: new AbortController().signal,
    });
    expect(headers).toMatchObject({ "x-twice": "a, b", "set-cookie": "c=1, d=2" });
  });

  it.each(["", "/", "?a=1", "/?a=1", "/v1/x?a=/b"])(
    "asks for the path that an address has: %j",
    async (path) => {
      const server = await startServer((_, response) => json(response, 200, {}));
      const { signal } = new AbortController();
      const url = server.baseUrl + path;
      await nodeTransport().send({ method: "GET", url, headers: {}, body: undefined, signal });
      const { pathname, search } = new URL(url);
      expect(server.seen[0]?.url).toBe(pathname + search);
    },
  );

  it("leaves out a byte order mark, as fetch does", async () => {
    const server = await startServer(({ url }, response) => {
      const isError = url.includes("proj_");
      response.writeHead(isError ? 404 : 200, { "content-type": "application/json" });
      response.end(
        `\uFEFF${isError ? '{"error":{"code":"project:not_found"}}' : '{"data":{"id":"\uFEFFx"}}'}`,
      );
    });
    const client = createClient({ baseUrl: server.baseUrl, token: false, transport: nodeTransport() });
    expect(await client.me.get()).toEqual({ id: "\uFEFFx" });
    expect(await thrown(client.projects.get("proj_1"))).toMatchObject({ code: "project:not_found" });
  });

  describe("with a content coding that nobody asked for", () => {
    const body = '{"data":{"id":"me"}}';
    const setup = async (coding: string, bytes: Buffer, options: NodeTransportOptions = {}) => {
      const server = await startServer((_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
        response.end(bytes);
      });
      const { baseUrl } = server;
      return createClient({ baseUrl, token: false, maxRetries: 0, transport: nodeTransport(options) });
    };

    it.each([
      ["gzip", gzipSync(body)],
      ["X-GZIP", gzipSync(body)],
      ["deflate", deflateSync(body)],
      ["br", brotliCompressSync(body)],
      ["gzip, br", brotliCompressSync(gzipSync(body))],
      ["identity", Buffer.from(body)],
    ])("decodes %s", async (coding, bytes) => {
      const client = await setup(coding, bytes);
      expect(await client.me.get()).toEqual({ id: "me" });
      expect(await (await client.me.get().asResponse()).json()).toEqual({ data: { id: "me" } });
    });

    it.each([
      ["gzip", Buffer.from(body), "Z_DATA_ERROR"],
      ["gzip", gzipSync(body).subarray(0, 20), "Z_BUF_ERROR"],
      ["gzip", Buffer.alloc(0), "Z_BUF_ERROR"],
      ["compress", Buffer.from(body), "the content-encoding compress is not supported"],
      ["toString", Buffer.from(body), "the content-encoding toString is not supported"],
      ["gzip, ".repeat(6), Buffer.from(body), /is not supported$/],
    ])("throws for %s that cannot be decoded", async (coding, bytes, reason) => {
      const error = await thrown((await setup(coding, bytes)).me.get());
      expect(error).toMatchObject({
        code: "connection:failed",
        reason: typeof reason === "string" ? reason : expect.stringMatching(reason),
      });
    });

    it("limits the size of what it decodes", async () => {
      const client = await setup("gzip", gzipSync(Buffer.alloc(2_000_000)), { maxResponseBytes: 1_000_000 });
      expect(await thrown(client.me.get())).toBeInstanceOf(ResponseTooLargeError);
    });

    it("decodes nothing where there is no body", async () => {
      const server = await startServer((_, response) => {
        response.writeHead(204, { "content-encoding": "gzip" }).end();
      });
      const client = createClient({ baseUrl: server.baseUrl, token: false, transport: nodeTransport() });
      expect(await client.projects.delete("proj_1")).toBeUndefined();
    });
  });

  it("throws at once when the service switches protocols, or closes the connection", async () => {
    const answers = ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n", ""];
    for (const answer of answers) {
      const server = createTcpServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => socket.end(answer));
      });
      const client = createClient({
        baseUrl: await listen(server),
        token: false,
        maxRetries: 0,
        timeoutMs: Infinity,
        transport: nodeTransport(),
      });
      expect(await thrown(client.me.get())).toMatchObject({
        code: "connection:failed",
        reason: answer ? "the connection was closed without a response" : "ECONNRESET",
      });
    }
  });

  it("works where the global promise was replaced, as zone.js does", async () => {
    const server = await startServer((_, response) => json(response, 200, { data: { id: "me" } }));
    vi.stubGlobal("Promise", class<T> extends Promise<T> {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = createClient({ baseUrl: server.baseUrl, token: false, transport: nodeTransport() });
    for (let call = 0; call < 2; call += 1) expect(await client.me.get()).toEqual({ id: "me" });
  });

  it("throws for a response that is not HTTP", async () => {
    const server = createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    const baseUrl = await listen(server);
    const client = createClient({ baseUrl, token: false, transport: nodeTransport() });
    expect(await thrown(client.me.get())).toMatchObject({ code: "connection:failed" });
  });

  it("throws for a host that does not exist and for TLS where there is none", async () => {
    const { baseUrl } = await startServer((_, response) => json(response, 200, {}));
    const transport = nodeTransport();
    const tls = createClient({ baseUrl: baseUrl.replace("http:", "https:"), token: false, transport });
    expect(await thrown(tls.me.get())).toMatchObject({ code: "connection:failed" });
    const nowhere = createClient({
      baseUrl: "http://no-such-host.invalid",
      allowInsecureHttp: true,
      token: false,
      transport,
    });
    expect(await thrown(nowhere.me.get())).toMatchObject({ code: "connection:failed" });
  });
});
