import { setupMock } from "@mgmt/mock";
import { expect, onTestFinished, test, vi } from "vitest";

// Vitest can replace `process.nextTick` in a thread, but not in a process.
test("waits although process.nextTick is replaced", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({
    toFake: ["nextTick", "queueMicrotask", "setTimeout", "setImmediate", "Date", "performance"],
  });
  const mock = setupMock();
  mock.faults.add({ operation: "projects.create", status: 503, times: 2 });
  const client = mock.client();
  const { database } = await client.projects.create({ name: "shop" });
  expect(await client.databases.waitUntilReady(database?.id ?? "")).toMatchObject({ status: "ready" });
});
