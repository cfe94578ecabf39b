import { type Socket, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/engine/http";

let server: RunningServer;
beforeAll(async () => {
  server = await createServer();
});
afterAll(() => server.close());

interface Received {
  readonly statuses: string[];
  readonly text: string;
}

/**
 * Sends the parts one after another, and resolves to what the server sent once it destroys the connection. With
 * `allowHalfOpen`, this side stays open until then.
 */
const exchange = (parts: string[], { allowHalfOpen = false } = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket: Socket = connect({ port: server.port, host: server.host, allowHalfOpen }, () => {
      for (const part of parts) socket.write(part);
    });
    socket
      .setEncoding("utf8")
      .on("data", (chunk) => (text += String(chunk)))
      .on("error", reject)
      .on("end", () => {
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = ""]) => status);
        whenDisconnected(() => {
          socket.destroy();
          resolve({ statuses, text });
        });
      });
  });

const whenDisconnected = (then: () => void): void => {
  const timer = setInterval(() => {
    server.server.getConnections((_error, count) => {
      if (count > 0) return;
      clearInterval(timer);
      then();
    });
  }, 20);
};

const host = (): string => new URL(server.baseUrl).host;
const get = (): string => `GET /v1/me HTTP/1.1\r\nhost: ${host()}\r\n\r\n`;
const post = (headers: string): string =>
  `POST /v1/projects HTTP/1.1\r\nhost: ${host()}\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;

describe("a request without a Host header", () => {
  it.each(["GET /v1/me", "GET /_control/clock", "POST /token"])(
    "is refused with an error: %s",
    async (line) => {
      const { statuses, text } = await exchange([`${line} HTTP/1.1\r\nconnection: close\r\n\r\n`]);
      expect(statuses).toEqual(["400"]);
      expect(text).toContain('"code":"request:malformed"');
      expect(text).toContain("no Host header");
    },
  );

  it("is refused even if the server accepts every host", async () => {
    const open = await createServer({ host: "0.0.0.0" });
    try {
      const socket = connect({ port: open.port, host: "127.0.0.1" }, () =>
        socket.end("GET /v1/me HTTP/1.1\r\n\r\n"),
      );
      let text = "";
      for await (const chunk of socket.setEncoding("utf8")) text += String(chunk);
      expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"request:malformed"/s);
    } finally {
      await open.close();
    }
  });
});

describe("data that is not HTTP", () => {
  it("is refused after the responses to the pipelined requests before it, and the connection is destroyed", async () => {
    const { statuses, text } = await exchange([get() + get() + get() + "GARBAGE\r\n\r\n"], {
      allowHalfOpen: true,
    });
    expect(statuses).toEqual(["401", "401", "401", "400"]);
    expect(text.slice(text.indexOf("HTTP/1.1 400"))).toContain('"code":"request:malformed"');
  });

  it("is refused once when it arrives in several chunks", async () => {
    const { statuses } = await exchange([get(), "GARBAGE\r\n\r\n", "MORE GARBAGE\r\n\r\n"]);
    expect(statuses).toEqual(["401", "400"]);
  });

  it("is refused in the body of a request", async () => {
    const { statuses } = await exchange([
      get() + post("transfer-encoding: chunked") + "not a chunk size\r\n",
    ]);
    expect(statuses).toEqual(["401", "400"]);
  });
});

describe("a request whose headers are too large", () => {
  it("is refused after the responses to the pipelined requests before it", async () => {
    const large = get().replace("\r\n\r\n", `\r\nx-large: ${"a".repeat(70_000)}\r\n\r\n`);
    const { statuses, text } = await exchange([get() + large]);
    expect(statuses).toEqual(["401", "431"]);
    expect(text).toContain("HTTP/1.1 431 Request Header Fields Too Large\r\n");
    expect(text).toContain('"code":"request:headers_too_large"');
  });
});

it("responds with 408 when the rest of a request stays away", async () => {
  const started = new Promise<Socket>((resolve) => server.server.once("connection", resolve));
  const exchanged = exchange([post("content-length: 2\r\nconnection: keep-alive")]);
  // What node:http does when its timeout for the request has passed.
  const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  server.server.emit("clientError", error, await started);
  const { statuses, text } = await exchanged;
  expect(statuses).toEqual(["408"]);
  expect(text).toContain('"code":"request:incomplete"');
});

it("refuses an unknown Expect with an error code and a hint", async () => {
  const { statuses, text } = await exchange([
    post("content-length: 2\r\nconnection: close\r\nexpect: 200-ok") + "{}",
  ]);
  expect(statuses).toEqual(["417"]);
  expect(text).toContain('"code":"request:malformed"');
  expect(text).toContain("Expect: 100-continue");
  expect(text).toMatch(/x-request-id: req_\w+/);
});
