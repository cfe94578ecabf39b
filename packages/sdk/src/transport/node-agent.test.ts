import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, type Server, type Socket, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, createClient } from "@mgmt/sdk";
import { nodeTransport, ProxyError } from "@mgmt/sdk/node";
import { json, startServer, thrown } from "../../test/server.js";

const file = (name: string): string =>
  readFileSync(new URL(`../../test/certificates/loopback.${name}`, import.meta.url), "utf8");
const ca = file("crt");

const open = new Set<Server>();
const sockets = new Set<Socket>();
afterEach(() => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  for (const server of open) server.close();
  open.clear();
});

const listen = async (server: Server): Promise<number> => {
  open.add(server);
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  return (server.address() as AddressInfo).port;
};

/** Starts a proxy that connects every host name to `port` on loopback, and records the requests. */
const startProxy = async (port: number): Promise<{ url: string; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    json(response, 200, { data: { id: "proj_1" } });
  });
  server.on("connect", (request, socket: Socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    sockets.add(socket);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked };
};

/** Starts a proxy that refuses every connection with a status. */
const startRejectingProxy = async (status: number): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(status).end());
  server.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`));
  return `http://user:CANARY@127.0.0.1:${await listen(server)}`;
};

const startTls = () =>
  listen(
    createTlsServer({ key: file("key"), cert: ca }, (_, response) =>
      json(response, 200, { data: { id: "proj_1" } }),
    ),
  );

describe("a proxy that fails", () => {
  const failureOf = async (baseUrl: string, proxy: string): Promise<ConnectionError> => {
    const transport = nodeTransport({ proxy });
    const client = createClient({ baseUrl, token: false, transport, maxRetries: 0, allowInsecureHttp: true });
    const error = await thrown(client.projects.get("proj_1"));
    if (!(error instanceof ConnectionError)) throw error;
    const { cause } = error;
    if (!(cause instanceof ProxyError)) throw new Error("No ProxyError", { cause });
    expect(`${error.message} ${cause.message} ${cause.proxy}`).not.toContain("CANARY");
    return error;
  };

  it.each([
    ["https://api.test", 407],
    ["https://api.test", 502],
    ["http://api.test", 407],
  ])("is the cause of the error, with its status, if it refuses: %s, %i", async (baseUrl, status) => {
    const proxy = await startRejectingProxy(status);
    const { reason, cause } = await failureOf(baseUrl, proxy);
    expect({ reason, cause }).toMatchObject({
      reason: "PROXY_REFUSED",
      cause: { code: "PROXY_REFUSED", proxy: proxy.replace("user:CANARY@", ""), status },
    });
  });

  it.each(["https://api.test", "http://api.test"])(
    "is the cause of the error if it cannot be reached: %s",
    async (baseUrl) => {
      const { reason, cause } = await failureOf(baseUrl, "http://user:CANARY@127.0.0.1:1");
      expect({ reason, cause }).toMatchObject({
        reason: "ECONNREFUSED",
        cause: { code: "ECONNREFUSED", proxy: "http://127.0.0.1:1", status: undefined },
      });
    },
  );

  it("is not the cause when the service breaks a connection through it", async () => {
    const breaking = createTlsServer({ key: file("key"), cert: ca }, (request) => request.socket.destroy());
    const { url } = await startProxy(await listen(breaking));
    const transport = nodeTransport({ proxy: url, ca });
    const client = createClient({ baseUrl: "https://api.test", token: false, transport, maxRetries: 0 });
    const error = await thrown(client.projects.get("proj_1"));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as ConnectionError).cause).not.toBeInstanceOf(ProxyError);
  });
});

describe("a proxy", () => {
  it("is used for http: requests when the environment names it", async () => {
    const { url, asked } = await startProxy(0);
    vi.stubEnv("http_proxy", url.replace("//", "//user:pass@"));
    const client = createClient({
      baseUrl: "http://api.test",
      allowInsecureHttp: true,
      token: false,
      transport: nodeTransport(),
    });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_1" });
    const basic = Buffer.from("user:pass").toString("base64");
    expect(asked).toEqual([`GET http://api.test/v1/projects/proj_1 Basic ${basic}`]);
  });

  it("carries https: requests through a tunnel that it cannot read, and keeps it open", async () => {
    const { url, asked } = await startProxy(await startTls());
    vi.stubEnv("HTTPS_PROXY", url);
    const transport = nodeTransport({ ca });
    const client = createClient({ baseUrl: "https://api.test", token: false, transport });
    await client.projects.get("proj_1");
    await client.projects.get("proj_1");
    expect(asked).toEqual(["CONNECT api.test:443"]);
    transport.close();
  });

  it("is not used for hosts in NO_PROXY, for loopback, or when it is switched off", async () => {
    const { url, asked } = await startProxy(0);
    vi.stubEnv("HTTP_PROXY", url);
    vi.stubEnv("NO_PROXY", "api.test");
    const { baseUrl } = await startServer((_, response) => json(response, 200, { data: {} }));
    await createClient({ baseUrl, token: false, transport: nodeTransport() }).me.get();
    const options = { timeoutMs: 2_000, maxRetries: 0 };
    await thrown(
      createClient({
        baseUrl: "http://api.test",
        allowInsecureHttp: true,
        token: false,
        transport: nodeTransport(),
        ...options,
      }).me.get(),
    );
    await thrown(
      createClient({
        baseUrl: "http://b.test",
        allowInsecureHttp: true,
        token: false,
        transport: nodeTransport({ proxy: false }),
        ...options,
      }).me.get(),
    );
    expect(asked).toEqual([]);
  });

  it("can be set as an option", async () => {
    const { url, asked } = await startProxy(0);
    const client = createClient({
      baseUrl: "http://api.test",
      allowInsecureHttp: true,
      token: false,
      transport: nodeTransport({ proxy: url }),
    });
    await client.projects.get("proj_1");
    expect(asked).toHaveLength(1);
  });

  it("causes a ConnectionError without its password when it does not listen", async () => {
    const transport = nodeTransport({ proxy: "http://user:hunter2@127.0.0.1:1" });
    const error = await thrown(
      createClient({ baseUrl: "https://api.test", token: false, transport, maxRetries: 0 }).me.get(),
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("hunter2");
  });

  it.each(["api.test:8080", "socks5://user:hunter2@x", "http:user:hunter2@x", "http:\\\\user:hunter2@x", ""])(
    "is refused when it is not an HTTP address: %j",
    (proxy) => {
      if (proxy === "") return expect(() => nodeTransport({ proxy })).not.toThrow();
      expect(() => nodeTransport({ proxy })).toThrowError(/^proxy must be an absolute URL/);
      expect(() => nodeTransport({ proxy })).not.toThrowError(/hunter2/);
    },
  );

  it("causes an error that names the variable when the environment has no HTTP address", async () => {
    vi.stubEnv("HTTP_PROXY", "socks5://user:hunter2@x");
    const transport = nodeTransport();
    const error = await thrown(
      createClient({
        baseUrl: "http://api.test",
        allowInsecureHttp: true,
        token: false,
        transport,
        maxRetries: 0,
      }).me.get(),
    );
    expect((error as Error).message).toContain("proxy must be an absolute URL");
    expect(error).toMatchObject({ hint: expect.stringContaining("HTTPS_PROXY") });
    expect((error as Error).message).not.toContain("hunter2");
  });
});

describe("a certificate of a private authority", () => {
  it("is trusted when its authority is given, and refused otherwise", async () => {
    const baseUrl = `https://localhost:${await startTls()}`;
    const trusting = createClient({ baseUrl, token: false, transport: nodeTransport({ ca }) });
    expect(await trusting.projects.get("proj_1")).toEqual({ id: "proj_1" });
    const strict = createClient({ baseUrl, token: false, transport: nodeTransport(), maxRetries: 0 });
    expect(await thrown(strict.projects.get("proj_1"))).toMatchObject({
      reason: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
  });
});
