import { StoredServer } from "@mgmt/engine/internal";
import { createServer } from "@mgmt/engine/http";
import type { DatabaseAddress } from "../../src/policy/address.js";
import { openRecords } from "../../src/rows/open-records.js";
import { createTestKeys } from "./record-keys.js";

// Serves the API from the records in Postgres that the argument names, until standard input ends. Prints its URL and a token.

const { address, schema } = JSON.parse(process.argv[2] ?? "{}") as {
  address: DatabaseAddress;
  schema: string;
};
const records = await openRecords(address, { schema, keys: createTestKeys() });
// All processes sign and accept tokens of the same issuer, as behind one load balancer.
const url = "http://mgmt.test";
const { engine, baseUrl, close } = await createServer({
  createEngine: () =>
    StoredServer.open({
      records,
      validateResponses: true,
      settings: { baseUrl: url, authUrl: url, lifecycle: { provisioning: 0 } },
    }),
});
engine.start();
const token = await engine.tokens.user({ expiresAt: "2100-01-01" });
process.stdout.write(`${JSON.stringify({ baseUrl, token })}\n`);
process.stdin.resume().on("end", () => {
  void close(0)
    .then(() => records.close())
    .then(() => process.exit());
});
