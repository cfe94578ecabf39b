import { ConnectionError, MgmtError, createClient } from "@mgmt/sdk";
import { expect, it } from "vitest";
import { thrown } from "../server.js";

/** A client whose requests fail as those of Node.js do when a name cannot be looked up. */
const clientWithout = (baseUrl: string, code: string) => {
  const cause = Object.assign(new Error(`getaddrinfo ${code}`), { code });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  return createClient({ baseUrl, token: false, maxRetries: 0, fetch });
};

const caught = async (call: Promise<unknown>): Promise<MgmtError> => {
  const error = await thrown(call);
  if (error instanceof MgmtError) return error;
  throw error;
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
  ["SELF_SIGNED_CERT_IN_CHAIN", true],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", true],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", true],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", true],
  ["CERT_HAS_EXPIRED", false],
  ["ERR_TLS_CERT_ALTNAME_INVALID", false],
])("says how to trust the authority of a certificate, and only then: %s", async (reason, isAuthority) => {
  const { hint } = await caught(clientWithout("https://api.example.com", reason).me.get());
  expect(/NODE_EXTRA_CA_CERTS .* pass that certificate as ca to nodeTransport/.test(hint ?? "")).toBe(
    isAuthority,
  );
});

it.each([
  ["https://api.mgmt.test.example.com", "ENOTFOUND"],
  ["https://example.com/api.mgmt.test/", "ENOTFOUND"],
  ["https://api.mgmt.test", "ECONNRESET"],
])("says nothing about a mock for %s and %s", async (baseUrl, code) => {
  const error = await thrown(clientWithout(baseUrl, code).projects.get("a"));
  expect(error).toMatchObject({ hint: "Check baseUrl, timeoutMs and the network." });
});
