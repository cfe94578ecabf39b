import { describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";
import { findContractEndpoint } from "./contract-endpoint.js";

const settings = { baseUrl: "https://api.example.com", authUrl: "https://auth.example.com" };
const send = (server: MemoryServer, method: string, headers: Record<string, string> = {}) =>
  Promise.resolve(server.handle({ method, path: "/v1/doc", headers }));

describe("the contract that a server returns", () => {
  it("has the addresses of this server, each time", async () => {
    for (const other of [settings, { baseUrl: "http://localhost:1/api" }]) {
      const server = new MemoryServer({ settings: other });
      for (const headers of [{}, { authorization: "Bearer none" }]) {
        const { status, body = "", headers: received } = await send(server, "GET", headers);
        expect([status, received["content-type"]]).toEqual([200, "application/json"]);
        const contract = JSON.parse(body) as Record<"servers" | "components", unknown>;
        const authUrl = "authUrl" in other ? other.authUrl : other.baseUrl;
        expect(contract.servers).toEqual([{ url: other.baseUrl }]);
        expect(contract.components).toMatchObject({
          securitySchemes: {
            oauth2: {
              flows: {
                authorizationCode: {
                  authorizationUrl: `${authUrl}/authorize`,
                  tokenUrl: `${authUrl}/token`,
                  refreshUrl: `${authUrl}/token`,
                },
              },
            },
          },
        });
      }
    }
  });

  it("is read by GET only, by pages of any origin", async () => {
    const server = new MemoryServer({ settings });
    for (const method of ["POST", "HEAD", "DELETE"]) {
      const { status, headers } = await send(server, method);
      expect([status, headers["allow"]]).toEqual([405, "GET"]);
    }
    const preflight = await send(server, "OPTIONS", {
      origin: "https://page.example.com",
      "access-control-request-headers": "x-own",
    });
    expect([preflight.status, preflight.headers["access-control-allow-headers"]]).toEqual([
      204,
      expect.stringContaining("x-own"),
    ]);
  });

  it.each(["/v1/docs", "/v1/doc/", "/doc", ""])("is not at %j", (path) => {
    expect(findContractEndpoint(path)).toBeUndefined();
  });
});
