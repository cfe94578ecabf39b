import { describe, expect, it } from "vitest";
import { isLoopbackHost } from "@mgmt/engine/http";

describe("isLoopbackHost", () => {
  it.each([
    "localhost",
    "Localhost",
    "127.0.0.1",
    "127.1.2.3",
    "127.255.255.255",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "[::ffff:127.1.2.3]",
    "::ffff:7f00:1",
  ])("accepts %s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    "",
    "[]",
    "127.example.com",
    "127.0.0.1.nip.io",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "example.localhost",
    "0177.0.0.1",
    "127.1",
    "2130706433",
    "0.0.0.0",
    "128.0.0.1",
    "10.0.0.1",
    "::",
    "::2",
    "::ffff:10.0.0.1",
    "[127.0.0.1",
  ])("rejects %j", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
