import { connect } from "node:net";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/engine/http";

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ controlSecret: "control secret" });
});
afterAll(() => server.close());

/** Status and request id of a response. */
const ask = (
  path: string,
  headers: Record<string, string>,
): Promise<{ status?: number; requestId: unknown }> =>
  new Promise((resolve, reject) => {
    const { host, port } = server;
    request({ host, port, path, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, requestId: response.headers["x-request-id"] });
    })
      .on("error", reject)
      .end();
  });

const requestId: unknown = expect.stringMatching(/^req_\w+$/);

it.each([
  ["a foreign Host", "/v1/me", { host: "evil.example" }, 403],
  ["no control secret", "/_control/clock", {}, 403],
  ["a foreign Origin at the control surface", "/_control/clock", { origin: "https://evil.example" }, 403],
  ["an unknown path", "/nowhere", {}, 404],
])("returns a request id with %s", async (_what, path, headers, status) => {
  expect(await ask(path, headers)).toEqual({ status, requestId });
});

it("responds to data that is not HTTP with 400, a code and a request id", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(server.port, server.host, () => socket.write("GARBAGE\r\n\r\n"));
    socket
      .setEncoding("utf8")
      .on("data", (chunk) => (text += String(chunk)))
      .on("end", () => resolve(text))
      .on("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nx-request-id: req_\w+\r\n/);
  expect(answer).toContain('"code":"request:malformed"');
});
