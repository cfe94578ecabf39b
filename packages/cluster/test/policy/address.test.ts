import { describe, expect, it } from "vitest";
import { endpointsOf } from "../../src/policy/address.js";

const server = { host: "10.0.0.1", port: 5432, user: "mgmt", password: "not-a-secret" };

describe("the endpoints of a database", () => {
  it("are the server if the address names no others", () => {
    const { host, port } = server;
    expect(endpointsOf(server)).toEqual({
      direct: { host, port },
      pooled: { host, port },
      accelerate: { host, port },
    });
  });

  it("are those that the address names", () => {
    const endpoints = {
      direct: { host: "db.example", port: 5432 },
      pooled: { host: "pool.example", port: 6432 },
      accelerate: { host: "cache.example", port: 443 },
    };
    expect(endpointsOf({ ...server, endpoints })).toEqual(endpoints);
  });
});
