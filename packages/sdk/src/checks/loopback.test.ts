import { describe, expect, it } from "vitest";
import { isLoopbackHostname } from "@mgmt/sdk/node";

const hostnameOf = (host: string): string => new URL(`http://${host}:4300/`).hostname;

describe("isLoopbackHostname", () => {
  it.each([
    "localhost",
    "LOCALHOST",
    "127.0.0.1",
    "127.1.2.3",
    "127.1",
    "2130706433",
    "0177.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
  ])("accepts %s", (host) => {
    expect(isLoopbackHostname(hostnameOf(host))).toBe(true);
  });

  it.each([
    "127.example.com",
    "localhost.example.com",
    "127.0.0.1.nip.io",
    "example.com",
    // Node.js looks up names below localhost in DNS.
    "api.localhost",
    "LOCALHOST.",
    "2130706433.example",
    "10.0.0.5",
    "128.0.0.1",
    "0.0.0.0",
    "[::]",
    "[::2]",
    "[::ffff:128.0.0.1]",
    "[::ffff:10.0.0.5]",
  ])("rejects %s", (host) => {
    expect(isLoopbackHostname(hostnameOf(host))).toBe(false);
  });
});
