import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import worker from "../../../examples/worker/worker.js";

let server: RunningServer;
let env: { MGMT_BASE_URL: string; MGMT_TOKEN: string };

beforeAll(async () => {
  server = await createServer();
  env = { MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: await server.engine.tokens.service() };
});
afterEach(() => {
  server.engine.faults.clear();
  vi.restoreAllMocks();
});
afterAll(() => server.close());

const ask = async (path: string, init?: RequestInit, given = env) => {
  const response = await worker.fetch(new Request(`https://worker.example.com${path}`, init), given);
  const text = await response.text();
  expect(text).not.toContain(given.MGMT_TOKEN);
  // The worker responds with JSON.
  return {
    status: response.status,
    body: JSON.parse(text) as { cursor?: string | null; projects?: unknown[] },
  };
};

it("pages through the projects", async () => {
  for (let number = 1; number <= 25; number += 1)
    await server.engine.seed.project({ name: `shop ${number}` });
  const first = await ask("/projects");
  expect(first.body.projects).toHaveLength(20);
  expect(first.body.projects?.[0]).toEqual({ id: expect.stringMatching(/^proj_/), name: "shop 1" });
  const second = await ask(`/projects?cursor=${encodeURIComponent(first.body.cursor ?? "")}`);
  expect(second.body.projects).toMatchObject(
    [21, 22, 23, 24, 25].map((number) => ({ name: `shop ${number}` })),
  );
  expect(second.body.cursor).toBeNull();
});

it.each([
  ["another path", "/", {}, 404],
  ["another method", "/projects", { method: "POST" }, 405],
  ["an invalid cursor", "/projects?cursor=x", {}, 400],
])("refuses %s", async (_what, path, init, status) => {
  expect(await ask(path, init)).toEqual({ status, body: { error: expect.any(String) } });
});

const expectUnavailable = async (given: typeof env) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  expect(await ask("/projects", {}, given)).toEqual({ status: 503, body: { error: "Try again later." } });
  expect(log).toHaveBeenCalledOnce();
  expect(JSON.stringify(log.mock.calls)).not.toContain(given.MGMT_TOKEN);
};

it("returns 503 if the service fails", async () => {
  server.engine.faults.add({ operation: "projects.list", status: 500 });
  await expectUnavailable(env);
});

it("returns 503 if its token is rejected, and logs no secret", async () => {
  await expectUnavailable({ ...env, MGMT_TOKEN: "hush" });
});
