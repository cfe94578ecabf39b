import { Client } from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toClientConfig, resolveEndpoints } from "./address.js";

const server = { host: "10.0.0.1", port: 5432, user: "mgmt", password: "not-a-secret" };

describe("the endpoints of a database", () => {
  it("are the server if the address names no others", () => {
    const { host, port } = server;
    expect(resolveEndpoints(server)).toEqual({
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
    expect(resolveEndpoints({ ...server, endpoints })).toEqual(endpoints);
  });
});

describe("the connection of the driver", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** Settings that the driver has found out. */
  const settings = (): object => {
    const config = { ...toClientConfig(server, "mgmt"), options: "-c jit=off" };
    const client = new Client({ ...config, database: "postgres", connectionTimeoutMillis: 1 });
    // Not in the types of the driver.
    return { ...(client as unknown as { connectionParameters: object }).connectionParameters };
  };

  it("does not depend on variables of the user", () => {
    const before = settings();
    for (const name of [
      "HOST",
      "PORT",
      "USER",
      "PASSWORD",
      "DATABASE",
      "OPTIONS",
      "APPNAME",
      "CONNECT_TIMEOUT",
    ])
      vi.stubEnv(`PG${name}`, "1");
    vi.stubEnv("PGSSLMODE", "verify-full");
    vi.stubEnv("PGSSLNEGOTIATION", "direct");
    vi.stubEnv("PGCLIENT_ENCODING", "latin1");
    expect(settings()).toEqual(before);
  });
});
