import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { type RunningServer, controlSecretHeader, createServer } from "@mgmt/mock/server";

const secret = "correct horse battery staple";

describe("the Host header on loopback", () => {
  const ask = (server: RunningServer, host: string | undefined, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = server;
      const headers = { ...(host !== undefined && { host }), [controlSecretHeader]: secret };
      httpRequest({ port, host: "127.0.0.1", path, headers, setHost: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });

  it("must be the server's own address, on every route", async () => {
    const server = await createServer({ controlSecret: secret, allowedHosts: ["mgmt.localhost:80"] });
    const port = String(server.port);
    for (const path of ["/v1/me", "/_control/clock", "/uploads/dpl_a/b", "/"]) {
      for (const host of [
        "evil.example.com",
        `evil.example.com:${port}`,
        `127.0.0.1:1`,
        "localhost",
        "127.0.0.1.evil.com",
      ]) {
        expect([path, host, await ask(server, host, path)]).toEqual([path, host, 403]);
      }
    }
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `[::1]:${port}`,
      "mgmt.localhost:80",
    ]) {
      expect([host, await ask(server, host, "/_control/clock")]).toEqual([host, 200]);
    }
    await server.close();
  });
});
