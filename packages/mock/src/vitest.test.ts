import { createClient } from "@mgmt/sdk";
import { test } from "@mgmt/mock/vitest";
import { afterAll, describe, expect, it } from "vitest";

const used = { mocks: new Set<object>(), workspaces: new Set<string>() };

describe("fifty tests that run at the same time", () => {
  const cases = Array.from({ length: 50 }, (_, index) => index);

  for (const index of cases) {
    test.concurrent(`sees only its own projects: ${String(index)}`, async ({
      tenant,
      requestLog,
      expect: check,
    }) => {
      used.mocks.add(tenant.mock);
      used.workspaces.add(tenant.workspace.id);
      // Through the global `fetch`, like a program that knows nothing of the test.
      const client = createClient({ baseUrl: tenant.baseUrl, token: () => tenant.tokens.user() });
      const name = `shop ${String(index)}`;
      // The logical id is the same in every test: it is unique per workspace only.
      const { id } = await client.projects.create({ name, logicalId: "shop" });
      await tenant.seed.project({ name: `seeded ${String(index)}` });
      await client.projects.update(id, { name: `${name} renamed` });

      const names = (await client.projects.list().toArray()).map((project) => project.name);
      check(names).toEqual([`${name} renamed`, `seeded ${String(index)}`]);
      const me = await client.me.get();
      check(me.workspace?.id).toBe(tenant.workspace.id);
      check(requestLog.requests.map(({ operationId }) => operationId)).toEqual([
        "projects.create",
        "projects.update",
        "projects.list",
        "me.get",
      ]);
    });
  }

  afterAll(() => {
    expect([used.mocks.size, used.workspaces.size]).toEqual([1, 50]);
  });
});

describe("tests with a mock of their own", () => {
  test("get its base URL, as with Jest", async ({ mock, baseUrl, requestLog, expect: check }) => {
    check(baseUrl).toBe(mock.baseUrl);
    const client = createClient({ baseUrl, token: () => mock.tokens.user() });
    await client.projects.create({ name: "shop" });
    check(requestLog.requests).toHaveLength(1);
  });

  for (const minutes of [1, 2, 3, 4]) {
    test.concurrent(`have their own clock, faults and rate limit: ${String(minutes)}`, async ({
      mock,
      requestLog,
      expect: check,
    }) => {
      const token = await mock.tokens.user();
      const get = async (path: string) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${mock.baseUrl}/v1/${path}`, { headers })).status;
      };
      mock.clock.freeze();
      const start = mock.clock.now();
      await mock.clock.advance(minutes * 60_000);
      mock.faults.add({ operation: "me.get", status: 500, times: minutes });
      mock.setRateLimit({ requests: minutes, window: 60_000 });

      const statuses: number[] = [];
      for (let sent = 0; sent <= minutes; sent += 1) {
        statuses.push(await get("apps"), await get("me"));
      }
      const served = Array.from({ length: minutes }, () => [200, 500]).flat();
      check(statuses).toEqual([...served, 429, 200]);
      check(mock.clock.now() - start).toBe(minutes * 60_000);
      check(requestLog.requests).toHaveLength(statuses.length);
    });
  }
});

describe("the tenant", () => {
  test("has credentials for its own workspace only", async ({ tenant, expect: check }) => {
    const { mock, tokens, workspace, user } = tenant;
    const workspaceOf = async (token: string) => {
      const response = await tenant.fetch(`${tenant.baseUrl}/v1/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data }: { data: { workspace: { id: string } } } = await response.json();
      return data.workspace.id;
    };
    for (const token of [await tokens.user(), await tokens.service(), await tokens.agent()]) {
      check(await workspaceOf(token)).toBe(workspace.id);
    }
    check(await workspaceOf(await tokens.otherUser())).not.toBe(workspace.id);
    check(user.name).toBe("has credentials for its own workspace only");

    const foreign = await mock.seed.project();
    const response = await tenant.fetch(`${tenant.baseUrl}/v1/projects/${foreign.id}`, {
      headers: { authorization: `Bearer ${await tokens.user()}` },
    });
    check(response.status).toBe(404);
  });

  test("allows requests for unknown paths if the test opts in", async ({ tenant, requestLog }) => {
    requestLog.allowUnmatched();
    expect((await fetch(`${tenant.baseUrl}/v1/projcts`)).status).toBe(404);
  });
});

it("intercepts nothing when no test with fixtures runs", async () => {
  await expect(fetch("https://api.mgmt.test/v1/me")).rejects.toThrow(TypeError);
});
