import { createClient } from "@mgmt/sdk";
import { test } from "@mgmt/mock/vitest";

const later = () => new Promise((resolve) => setImmediate(resolve));

test.concurrent("asks for the root", async ({ tenant, expect }) => {
  await later();
  expect((await fetch(tenant.baseUrl)).status).toBe(404);
});

test.concurrent("fails after two requests", async ({ tenant, expect }) => {
  const client = createClient({ baseUrl: tenant.baseUrl, token: () => tenant.tokens.user() });
  const { id } = await client.projects.create({ name: "shop" });
  await client.projects.get(id);
  expect(1).toBe(2);
});

test.concurrent("misspells a path", async ({ tenant }) => {
  await later();
  await fetch(`${tenant.baseUrl}/v1/projcts`);
});

test.concurrent("hides a request to another host", async ({ mock, expect }) => {
  await fetch("https://api.example.com/v1/projects", { method: "POST" }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(TypeError);
  });
  await fetch(`${mock.baseUrl}/v1/me`);
});

test.concurrent("sends correct requests", async ({ tenant, expect }) => {
  for (let round = 0; round < 20; round += 1) {
    await later();
    const headers = { authorization: `Bearer ${await tenant.tokens.user()}` };
    expect((await fetch(`${tenant.baseUrl}/v1/me`, { headers })).status).toBe(200);
  }
});

test("fails without a request", ({ tenant, expect }) => {
  expect(tenant.baseUrl).toBe("");
});
