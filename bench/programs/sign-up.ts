import assert from "node:assert/strict";
import { setupMock } from "@mgmt/mock";
import { type SignUps, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

const provisioning = 30_000;
const pollIntervalMs = 3_000;

/** Creates a project that is refused twice, and polls eleven times until its database is ready. */
const signUp = async (): Promise<void> => {
  const mock = setupMock({ deterministic: "shop", settings: { lifecycle: { provisioning } } });
  mock.faults.add({ operation: "projects.create", status: 503, times: 2 });
  const client = mock.client();
  const { database } = await client.projects.create({ name: "shop" });
  const { status } = await client.databases.waitUntilReady(database?.id ?? "", { pollIntervalMs });
  assert.equal(status, "ready");
  assert.equal(mock.requests.length, 14);
};

serveCalls<SignUps>({
  time: async () => {
    const start = performance.now();
    await signUp();
    return performance.now() - start;
  },
  processorTime,
});
