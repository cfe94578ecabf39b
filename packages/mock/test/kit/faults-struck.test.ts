import { expect, it } from "vitest";
import { FaultNotStruckError, setupMock } from "@mgmt/mock";

it("throws for faults that have applied to no request, and lists only those", async () => {
  const mock = setupMock({ deterministic: "shop" });
  mock.faults.add({ operation: "me.get", status: 503 });
  mock.faults.add({ operation: "projects.list", status: 500, times: 1 });
  mock.faults.add({ operation: "projects.get", drop: "after", skip: 1 });
  const client = mock.client({ maxRetries: 0 });
  await client.me.get().catch(() => undefined);
  await client.projects.list().catch(() => undefined);
  await client.projects.get("proj_none").catch(() => undefined);

  expect(() => mock.faults.assertStruck()).toThrow(FaultNotStruckError);
  expect(() => mock.faults.assertStruck()).toThrow(
    'No request was struck by:\n  {"operation":"projects.get","drop":"after","skip":1,"id":"fault-3"}\nCheck',
  );
  await client.projects.get("proj_none").catch(() => undefined);
  mock.faults.assertStruck();
});

it("accepts no faults", () => {
  setupMock().faults.assertStruck();
});
