import { test } from "@mgmt/mock/vitest";
import { describe } from "vitest";

describe("a fault of the shared mock", () => {
  for (const time of ["first", "second"]) {
    test(`does not stay for later tests: ${time}`, async ({ tenant, expect }) => {
      const headers = { authorization: `Bearer ${await tenant.tokens.user()}` };
      const statusOf = async () => (await tenant.fetch(`${tenant.baseUrl}/v1/me`, { headers })).status;
      expect(await statusOf()).toBe(200);
      tenant.mock.faults.add({ operation: "me.get", status: 503 });
      expect(await statusOf()).toBe(503);
    });
  }
});
