import { setupMock } from "@mgmt/mock";
import { createClient } from "@mgmt/sdk";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openShop } from "./open-shop.js";

const mock = setupMock();
const client = createClient({ baseUrl: mock.baseUrl, token: () => mock.tokens.user() });

beforeAll(() => mock.listen());
afterEach(() => mock.reset());
afterAll(() => mock.close());

it("opens a shop only once", async () => {
  const first = await openShop(client, "shop");
  const second = await openShop(client, "shop");
  expect(second.id).toBe(first.id);
  expect(await client.projects.list().toArray()).toHaveLength(1);
});

it("reports the error when too many requests were sent", async () => {
  mock.faults.add({ operation: "projects.create", status: 429 });
  await expect(openShop(client, "shop", { maxRetries: 0 })).rejects.toMatchObject({
    code: "rate_limit:exceeded",
  });
});
