import assert from "node:assert/strict";
import { setupMock } from "@mgmt/mock";
import { answer } from "./answer.js";

const provisioning = 30_000;
const pollIntervalMs = 3_000;
const signUps = 21;

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

/** Answers the milliseconds that the median sign-up takes in real time. */
await answer(async () => {
  const times: number[] = [];
  for (let count = 0; count < signUps; count += 1) {
    const start = performance.now();
    await signUp();
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other)[Math.floor(signUps / 2)];
});
