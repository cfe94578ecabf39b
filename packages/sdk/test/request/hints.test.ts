import { ConnectionError, createClient } from "@mgmt/sdk";
import { expect, it } from "vitest";
import { thrown } from "../server.js";

/** A client whose requests fail as those of Node.js do when a name cannot be looked up. */
const clientWithout = (baseUrl: string, code: string) => {
  const cause = Object.assign(new Error(`getaddrinfo ${code}`), { code });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  return createClient({ baseUrl, token: false, maxRetries: 0, fetch });
};

it.each(["ENOTFOUND", "EAI_AGAIN"])(
  "says that no mock listens when its address was looked up: %s",
  async (code) => {
    for (const baseUrl of ["https://api.mgmt.test", "https://api-12.mgmt.test"]) {
      const error = await thrown(clientWithout(baseUrl, code).projects.create({ name: "shop" }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        code: "connection:failed",
        reason: code,
        hint: "Nothing intercepts the requests to the mock: call mock.listen(), or create the client with mock.client().",
      });
    }
  },
);

it.each([
  ["https://api.mgmt.test.example.com", "ENOTFOUND"],
  ["https://example.com/api.mgmt.test/", "ENOTFOUND"],
  ["https://api.mgmt.test", "ECONNRESET"],
])("says nothing about a mock for %s and %s", async (baseUrl, code) => {
  const error = await thrown(clientWithout(baseUrl, code).projects.get("a"));
  expect(error).toMatchObject({ hint: "Check baseUrl, timeoutMs and the connection to the service." });
});
