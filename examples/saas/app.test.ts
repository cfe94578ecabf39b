import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { setupMock } from "@mgmt/mock";
import { type ClientOptions, createClient } from "@mgmt/sdk";
import { beforeEach, expect, it } from "vitest";
import { createApp } from "./app.js";
import { Metrics } from "./metrics.js";
import { SecretStore } from "./secret-store.js";

const mock = setupMock();

/** By default, retries and waits pass by the clock of the mock, and take no time. */
const setUp = (options: ClientOptions = mock.clientOptions()) => {
  const metrics = new Metrics();
  const secrets = new SecretStore();
  const token = () => mock.tokens.service();
  const client = createClient({ ...options, token, middleware: [metrics.middleware] });
  return { client, secrets, app: createApp({ client, metrics, secrets }) };
};

beforeEach(() => mock.reset());

it("gives a customer one project and one database, also when it signs up twice at once", async () => {
  const { app, client } = setUp();
  const put = () => app.request("/customers/acme", { method: "PUT" });
  const statuses = (await Promise.all([put(), put()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 201]);
  expect(await (await app.request("/customers/acme")).json()).toMatchObject({ status: "ready" });
  expect(await client.projects.list().toArray()).toHaveLength(1);
  expect(await client.databases.list().toArray()).toHaveLength(1);
});

it("keeps the connection string to itself", async () => {
  const { app, secrets } = setUp();
  const response = await app.request("/customers/acme", { method: "PUT" });
  const { connectionString } = secrets.get("acme");
  expect(connectionString).toMatch(/^postgres:/);
  expect(await response.text()).not.toContain(new URL(connectionString).password);
});

it("creates another connection for a customer whose connection string was lost", async () => {
  await setUp().app.request("/customers/acme", { method: "PUT" });
  const { app, secrets } = setUp();
  expect((await app.request("/customers/acme", { method: "PUT" })).status).toBe(200);
  expect(secrets.has("acme")).toBe(true);
});

it("rotates the password of a customer", async () => {
  const { app, secrets } = setUp();
  await app.request("/customers/acme", { method: "PUT" });
  const before = secrets.get("acme");
  expect((await app.request("/customers/acme/rotate", { method: "POST" })).status).toBe(204);
  const after = secrets.get("acme");
  expect(after.connectionId).toBe(before.connectionId);
  expect(after.connectionString).not.toBe(before.connectionString);
  expect((await app.request("/customers/nobody/rotate", { method: "POST" })).status).toBe(404);
});

it("restores the newest backup, and says when there is none", async () => {
  const { app } = setUp();
  const { id } = await (await app.request("/customers/acme", { method: "PUT" })).json();
  const post = () => app.request("/customers/acme/restore", { method: "POST" });
  expect((await post()).status).toBe(404);
  await mock.seed.backup(id);
  const restored = await post();
  expect([restored.status, await restored.json()]).toEqual([200, { id, status: "ready" }]);
});

it.each([
  [{ status: 429 }, 503, { error: "rate_limit:exceeded" }],
  [{ status: 503 }, 503, { error: "internal:unavailable" }],
  [{ status: 500 }, 502, { error: "internal:error" }],
  [{ drop: "before" as const }, 503, { error: "connection:failed" }],
])("answers %j with %i", async (fault, status, body) => {
  mock.faults.add({ operation: "projects.list", ...fault });
  const response = await setUp().app.request("/customers/acme");
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject(body);
});

it("ends its calls when the caller disconnects, and counts them", async () => {
  // In real time, so that there is a request to end.
  const { app } = setUp({ baseUrl: mock.baseUrl, fetch: mock.fetch });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0, overrideGlobalObjects: false });
  await once(server, "listening");
  // It listens on a host.
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  mock.faults.add({ operation: "databases.create", latency: 60_000, times: 1 });
  const caller = new AbortController();
  const response = fetch(`${url}/customers/acme`, { method: "PUT", signal: caller.signal });
  await expect.poll(() => mock.faults.list()).toEqual([]); // the request has arrived
  caller.abort();
  await expect(response).rejects.toThrow("aborted");
  // The request to the API ends without a response, long before its latency.
  await expect
    .poll(async () => (await fetch(`${url}/metrics`)).text())
    .toContain(`mgmt_requests_total{method="POST",path="/v1/databases",status="none"} 1`);
  server.close();
});
