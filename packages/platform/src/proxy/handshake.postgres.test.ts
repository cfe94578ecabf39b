import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { Cluster } from "../../test/cluster.js";
import { proxyStarter } from "../../test/proxy/start-proxy.js";
import {
  RawClient,
  errorFields,
  firstMessage,
  gssRequest,
  request,
  sslRequest,
} from "../../test/proxy/wire.js";

const cluster = new Cluster();
const start = proxyStarter(cluster);
const secret = "a-secret-of-the-client";

/** Sends bytes, and returns the response of the proxy until it closes the connection. */
const answerTo = async (port: number, ...parts: readonly (Buffer | string)[]): Promise<Buffer> => {
  const client = await RawClient.connect(port);
  for (const part of parts) {
    client.send(part);
    if (part === sslRequest) await client.receive(1);
  }
  return client.closed;
};

describe("a client that does not speak the protocol", () => {
  it.each([
    ["a length that is too small", Buffer.from([0, 0, 0, 4]), "08P01"],
    ["a huge length", Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0]), "08P01"],
    ["a megabyte of garbage", Buffer.alloc(1_000_000, 0xaa), "08P01"],
    ["a startup message without a terminator", request(0x0003_0000, Buffer.from(`user\0${secret}`)), "08P01"],
    ["a startup message without a user", firstMessage([["password", secret]]), "28000"],
    ["protocol version 2", firstMessage([["user", "a"]], 0x0002_0000), "0A000"],
    ["protocol version 4", firstMessage([["user", "a"]], 0x0004_0000), "0A000"],
    ["two GSSENCRequests", Buffer.concat([gssRequest, gssRequest]), "08P01"],
    ["plain data after an SSLRequest", Buffer.concat([sslRequest, firstMessage([["user", "a"]])]), "08P01"],
  ])("gets an error for %s", async (_case, bytes, code) => {
    const { proxy, defects } = await start();
    const fields = errorFields(await answerTo(proxy.port, bytes));
    expect(fields).toMatchObject({ S: "FATAL", V: "FATAL", C: code });
    expect(JSON.stringify(fields)).not.toContain(secret);
    expect(defects).toEqual([]);
  });

  it("receives an HTTP response to an HTTP request", async () => {
    const { proxy, defects } = await start();
    const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const sent = httpRequest({ port: proxy.port, host: "127.0.0.1", method: "POST" }, (response) => {
        let text = "";
        response.on("data", (part) => (text += String(part)));
        response.on("end", () => resolve([response.statusCode, text]));
      });
      sent.on("error", reject);
      sent.end(secret);
    });
    expect(status).toBe(400);
    expect(body).toContain("accepts Postgres connections");
    expect(defects).toEqual([]);
  });

  it.each([
    ["garbage in place of a TLS handshake", "plain text in place of a handshake"],
    ["a broken handshake record", Buffer.from([0x16, 3, 1, 0, 4, 1, 2, 3, 4])],
    ["random bytes", randomBytes(4_096)],
  ])("is disconnected for %s", async (_case, bytes) => {
    const { proxy, defects } = await start();
    const client = await RawClient.connect(proxy.port);
    expect(String(await client.send(sslRequest).receive(1))).toBe("S");
    client.send(bytes);
    await client.closed;
    expect(defects).toEqual([]);
  });

  it("is disconnected when it starts with a broken TLS handshake", async () => {
    const { proxy, defects } = await start();
    await answerTo(proxy.port, Buffer.from([0x16, 3, 1, 0, 4, 1, 2, 3, 4]));
    expect(defects).toEqual([]);
  });

  it("does not disturb others, however many there are", async () => {
    const { proxy, defects } = await start();
    const { id, credential } = await cluster.makeTenant();
    const noise = Array.from({ length: 100 }, async (_, index) => {
      const client = await RawClient.connect(proxy.port);
      client.send(randomBytes(index * 7));
      if (index % 3 === 0) client.socket.resetAndDestroy();
      else client.socket.end();
      await client.closed;
    });
    const { user, pass } = credential;
    const client = await cluster.connectTo(
      `postgres://${user}:${pass}@127.0.0.1:${String(proxy.port)}/postgres`,
    );
    expect((await client.query("select current_database() as name")).rows).toEqual([{ name: id }]);
    await Promise.all(noise);
    expect(defects).toEqual([]);
  });
});

describe("a silent client", () => {
  it.each([
    ["sends nothing", []],
    ["stops within its startup message", [firstMessage([["user", "a"]]).subarray(0, 10)]],
    ["stops after an SSLRequest", [sslRequest]],
    ["stops within a TLS handshake", [sslRequest, Buffer.from([0x16, 3, 1, 2, 0, 1])]],
  ])("is disconnected when it %s", async (_case, parts) => {
    const { proxy, defects } = await start({ greetingTimeoutMs: 200 });
    const answer = await answerTo(proxy.port, ...parts);
    expect(answer.length).toBeLessThanOrEqual(1);
    expect(defects).toEqual([]);
  });

  it("is not disconnected while Postgres waits for its password", async () => {
    const { proxy } = await start({ greetingTimeoutMs: 100 });
    const { credential } = await cluster.makeTenant();
    const client = await RawClient.connect(proxy.port);
    const answer = await client.send(firstMessage([["user", credential.user]])).receive(9);
    // AuthenticationSASL.
    expect([answer[0], answer.readUInt32BE(5)]).toEqual(["R".charCodeAt(0), 10]);
    // A later client that says nothing.
    await answerTo(proxy.port);
    expect(client.socket.destroyed).toBe(false);
    client.socket.destroy();
  });
});
