import { describe, expect, it } from "vitest";
import { buildConnectionString } from "./serialize-connection.js";

const address = { host: "127.0.0.1", port: 5432, database: "shop" };
const credentials = { user: "app", pass: "secret" };

describe("a connection string", () => {
  it("works with Postgres clients", () => {
    expect(buildConnectionString(address, credentials)).toBe(
      "postgres://app:secret@127.0.0.1:5432/shop?sslmode=disable",
    );
  });

  it("has the sslmode of its address", () => {
    const url = new URL(buildConnectionString({ ...address, sslMode: "verify-full" }, credentials));
    expect(url.search).toBe("?sslmode=verify-full");
  });

  it("survives signs that mean something in a URL", () => {
    const url = new URL(
      buildConnectionString({ ...address, database: "a/b?c" }, { user: "a@b:c", pass: "p/?#[]@:% é" }),
    );
    expect(decodeURIComponent(url.username)).toBe("a@b:c");
    expect(decodeURIComponent(url.password)).toBe("p/?#[]@:% é");
    expect(decodeURIComponent(url.pathname)).toBe("/a/b?c");
    expect(url.hostname).toBe("127.0.0.1");
  });

  it("brackets an IPv6 host", () => {
    expect(new URL(buildConnectionString({ ...address, host: "::1" }, credentials)).host).toBe("[::1]:5432");
  });
});
