import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";

/** Lets requests of this process arrive at its servers. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

describe("the node:http server", () => {
  let server: RunningServer;
  let token: string;
  beforeAll(async () => {
    server = await createServer({ engineOptions: { validateResponses: true } });
    token = await server.engine.tokens.user();
  });
  afterAll(() => server.close());

  /**
   * Returns the bytes received over one raw connection, until the server closes it or they contain `until`.
   */
  const raw = (text: string, { end = false, until }: { end?: boolean; until?: string } = {}) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      let received = "";
      socket.setEncoding("utf8");
      socket.on("data", (chunk: string) => {
        received += chunk;
        if (until !== undefined && received.includes(until)) socket.destroy();
      });
      socket.on("close", () => resolve(received));
      socket.on("error", reject);
      socket.write(text.replaceAll("\n", "\r\n"));
      if (end) socket.end();
    });
  const head = () => `Host: 127.0.0.1:${String(server.port)}\nAuthorization: Bearer ${token}\n`;

  it("listens on a free port of loopback, and its URLs lead back to it", async () => {
    expect(server.baseUrl).toBe(`http://127.0.0.1:${String(server.port)}`);
    const { id } = await server.engine.seed.project();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${server.baseUrl}/v1/projects/${id}`, { headers });
    const { data } = (await response.json()) as { data: { url: string } };
    expect((await fetch(data.url, { headers })).status).toBe(200);
  });

  it("sends a long list again, and then the one of the present state", async () => {
    const { baseUrl, engine } = server;
    const headers = { authorization: `Bearer ${await engine.tokens.service()}` };
    const names = Array.from({ length: 60 }, (_, index) => `プロジェクト ${String(index)}`);
    for (const name of names) await engine.seed.project({ name, createDatabase: false });
    const list = async () => {
      const response = await fetch(`${baseUrl}/v1/projects`, { headers });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(response.headers.get("content-length")).toBe(String(bytes.length));
      return JSON.parse(bytes.toString()) as { data: { id: string; name: string }[] };
    };
    const { data } = await list();
    expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(await list()).toEqual({ data, pagination: expect.anything() });
    const [{ id } = { id: "" }] = data;
    const body = JSON.stringify({ name: "new" });
    await fetch(`${baseUrl}/v1/projects/${id}`, {
      method: "PATCH",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    expect((await list()).data).toMatchObject([{ id, name: "new" }, ...data.slice(1)]);
  });

  it("reuses connections", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let index = 0; index < 3; index += 1) {
      await new Promise<void>((resolve, reject) => {
        const { port } = server;
        const asked = httpRequest(
          { port, agent, path: "/v1/me", headers: { authorization: `Bearer ${token}` } },
          (response) => {
            ports.add(asked.socket?.localPort);
            response.resume().on("end", resolve);
          },
        );
        asked.on("error", reject).end();
      });
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  it("returns two requests sent at once over one connection, in their order", async () => {
    const answers = await raw(
      `GET /v1/me HTTP/1.1\n${head()}\nGET /v1/nothing HTTP/1.1\n${head()}Connection: close\n\n`,
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404"]);
  });

  it("accepts the absolute URL in the request line, as proxies send it", async () => {
    const answer = await raw(`GET ${server.baseUrl}/v1/me HTTP/1.1\n${head()}Connection: close\n\n`);
    expect(answer).toContain("HTTP/1.1 200");
  });

  it.each(["*", "//", "/%", "/v1/projects/%00", "http://"])(
    "handles the request target %s",
    async (target) => {
      expect(await raw(`GET ${target} HTTP/1.1\n${head()}Connection: close\n\n`)).toMatch(
        /^HTTP\/1\.1 4\d\d/,
      );
    },
  );

  it("refuses an announced body over the cap before it comes: 413", async () => {
    const answer = await raw(
      `POST /v1/projects HTTP/1.1\n${head()}Content-Type: application/json\nContent-Length: 99999999\n\n{`,
      { until: '"hint"' },
    );
    expect(answer).toContain("HTTP/1.1 413");
  });

  it("refuses a body that grows over the cap while it comes: 413", async () => {
    const chunk = "x".repeat(70_000);
    const answer = await raw(
      `POST /v1/apps HTTP/1.1\n${head()}Content-Type: application/json\nTransfer-Encoding: chunked\n\n` +
        `${chunk.length.toString(16)}\n${chunk}\n`,
      { until: '"hint"' },
    );
    expect(answer).toContain("HTTP/1.1 413");
    expect(answer).toContain('"request:too_large"');
  });

  it("checks the token before it reads a large body: 401", async () => {
    const answer = await raw(
      `POST /v1/projects HTTP/1.1\nHost: 127.0.0.1:${String(server.port)}\nContent-Length: 99999999\n\n{`,
      { until: '"hint"' },
    );
    expect(answer).toContain("HTTP/1.1 401");
  });

  it("lets a client that sends far too much read its response", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const response = await fetch(`${server.baseUrl}/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "x".repeat(8_000_000),
      });
      expect(response.status).toBe(413);
    }
  });

  it("survives a client that disconnects in the middle of its body", async () => {
    await raw(`POST /v1/projects HTTP/1.1\n${head()}Content-Length: 100\n\n{`, { end: true });
    expect(
      (await fetch(`${server.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(200);
  });

  it("drops connections when a fault says so", async () => {
    server.engine.faults.add({ operation: "me.get", drop: "before", times: 1 });
    expect(await raw(`GET /v1/me HTTP/1.1\n${head()}\n`)).toBe("");
  });

  it("sends no body and no length with 204", async () => {
    const { id } = await server.engine.seed.project();
    const answer = await raw(`DELETE /v1/projects/${id} HTTP/1.1\n${head()}Connection: close\n\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 204/);
    expect(answer.toLowerCase()).not.toMatch(/content-length|transfer-encoding|content-type/);
    expect(answer.endsWith("\r\n\r\n")).toBe(true);
  });
});

describe("starting and closing the node:http server", () => {
  it("rejects when the port is taken", async () => {
    const first = await createServer();
    await expect(createServer({ port: first.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await first.close();
  });

  it("creates the engine once the address is known, and then responds to earlier requests", async () => {
    const { MemoryServer } = await import("@mgmt/mock/server");
    let early: Promise<Response> | undefined;
    const server = await createServer({
      createEngine: async ({ baseUrl }) => {
        early = fetch(`${baseUrl}/v1/me`);
        await turns(20);
        return new MemoryServer({ settings: { baseUrl } });
      },
    });
    expect((await early)?.status).toBe(401);
    await server.close();
  });

  it("responds to all pipelined requests that came before the engine was created", async () => {
    const { MemoryServer } = await import("@mgmt/mock/server");
    const all = new Promise<string>((resolve) => {
      void createServer({
        createEngine: async ({ baseUrl, port }) => {
          let received = "";
          const socket = connect(port, "127.0.0.1").setEncoding("utf8");
          socket.on("data", (chunk: string) => (received += chunk)).on("close", () => resolve(received));
          const host = new URL(baseUrl).host;
          socket.write(`GET /v1/me HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(40));
          socket.write(`GET /v1/me HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
          await turns(20);
          return new MemoryServer({ settings: { baseUrl } });
        },
      }).then(async (server) => {
        await all;
        await server.close();
      });
    });
    expect((await all).match(/HTTP\/1\.1 401 /g)).toHaveLength(41);
  });

  it("frees the port when the engine cannot be created", async () => {
    let port = 0;
    const failing = createServer({
      createEngine: (address) => {
        port = address.port;
        return Promise.reject(new Error("no engine"));
      },
    });
    await expect(failing).rejects.toThrow("no engine");
    const server = await createServer({ port });
    await server.close();
  });

  it("completes requests in progress before it closes, and accepts no more", async () => {
    const server = await createServer();
    const headers = { authorization: `Bearer ${await server.engine.tokens.user()}` };
    server.engine.faults.add({ latency: 50, times: 1 });
    const slow = fetch(`${server.baseUrl}/v1/me`, { headers });
    while (server.engine.faults.hasFaults) await new Promise((resolve) => setTimeout(resolve, 1));
    const closed = server.close();
    expect((await slow).status).toBe(200);
    await closed;
    await expect(fetch(`${server.baseUrl}/v1/me`)).rejects.toThrow(TypeError);
  });

  it("closes at once although idle connections are open", async () => {
    const server = await createServer();
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve) =>
      httpRequest({ port: server.port, agent, path: "/v1/me" }, (response) =>
        response.resume().on("end", resolve),
      ).end(),
    );
    await server.close(60_000);
    agent.destroy();
  });

  it("ends a delay whose client has left", async () => {
    const server = await createServer();
    server.engine.faults.add({ latency: 600_000, times: 1 });
    const left = new AbortController();
    const endless = fetch(`${server.baseUrl}/v1/me`, { signal: left.signal });
    while (server.engine.faults.hasFaults) await new Promise((resolve) => setTimeout(resolve, 1));
    left.abort();
    await expect(endless).rejects.toThrow();
    await server.close();
    await vi.waitFor(() => expect(server.engine.requests).toMatchObject([{ path: "/v1/me", status: null }]));
  });

  it("cuts what does not end within the grace, without running it later", async () => {
    const server = await createServer();
    server.engine.faults.add({ latency: 600_000, times: 1 });
    const endless = fetch(`${server.baseUrl}/v1/me`);
    const failed = expect(endless).rejects.toThrow(TypeError);
    while (server.engine.faults.hasFaults) await new Promise((resolve) => setTimeout(resolve, 1));
    await server.close(20);
    await failed;
    await vi.waitFor(() => expect(server.engine.requests).toMatchObject([{ path: "/v1/me", status: null }]));
  });
});
