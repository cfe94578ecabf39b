import { beforeEach, describe, expect, it } from "vitest";
import { createContext } from "../../test/mcp/mcp-client.js";
import type { InsecureUrlGuard } from "./insecure-url-guard.js";

let guard: InsecureUrlGuard;
let readOutput: () => string;
beforeEach(() => {
  const run = createContext({}, "/");
  readOutput = run.printed;
  guard = run.context.insecureUrls;
});
const assertAllowed = (value: string): Promise<void> => guard.assertAllowed({ value, from: "--base-url" });

describe("an address that credentials are sent to", () => {
  it.each(["https://api.test", "http://localhost:1", "http://127.0.0.9", "http://[::1]:1", "nonsense"])(
    "is allowed: %s",
    async (address) => {
      await assertAllowed(address);
      guard.isAllowed = true;
      await assertAllowed(address);
      expect(readOutput()).toBe("");
    },
  );

  it.each(["http://api.test", "http://0.0.0.0:1", "http://127.0.0.1.test"])(
    "is refused unless the user allows it: %s",
    async (address) => {
      await expect(assertAllowed(address)).rejects.toMatchObject({ code: "connection:insecure" });
    },
  );

  it("is named in one warning for each host that the user allows", async () => {
    guard.isAllowed = true;
    for (const address of ["http://a.test:1/v1", "http://a.test:1", "http://a.test:2"])
      await assertAllowed(address);
    const hosts = readOutput().match(/Credentials are sent to \S+/g);
    expect(hosts).toEqual(["Credentials are sent to a.test:1", "Credentials are sent to a.test:2"]);
  });
});
