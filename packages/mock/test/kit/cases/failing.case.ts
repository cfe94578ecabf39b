import { once } from "node:events";
import { createServer } from "node:http";
import { createClient } from "@mgmt/sdk";
import { createTest, test } from "@mgmt/mock/vitest";

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

const offline = createTest({ passThrough: () => false });
offline("sends to this machine what it does not pass through", async ({ tenant, expect, onTestFinished }) => {
  let requests = 0;
  const host = createServer((_request, response) => {
    requests += 1;
    response.end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void host.close());
  await once(host, "listening");
  const address = host.address();
  const port = typeof address === "object" ? address?.port : 0;
  await expect(fetch(`http://127.0.0.1:${String(port)}/path`)).rejects.toThrow(TypeError);
  expect([requests, tenant.baseUrl]).toEqual([0, "https://api.mgmt.test"]);
});
