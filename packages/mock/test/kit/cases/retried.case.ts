import { createTest, test } from "@mgmt/mock/vitest";

const retry = 1;
const tries = new Map<string, number>();
/** Returns whether this is the first try of a test. */
const isFirst = (name: string): boolean => {
  const count = (tries.get(name) ?? 0) + 1;
  tries.set(name, count);
  return count === 1;
};

test(
  "passes its second try after an assertion has failed",
  { retry },
  async ({ mock, requestLog, expect, task }) => {
    const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
    const response = await fetch(`${mock.baseUrl}/v1/projects`, { headers });
    expect(await response.json()).toMatchObject({ data: [] });
    expect(requestLog.requests).toHaveLength(1);
    await mock.seed.project();
    expect(isFirst(task.name)).toBe(false);
  },
);

test("passes its second try after a path was misspelled", { retry }, async ({ tenant, expect, task }) => {
  const path = isFirst(task.name) ? "projcts" : "projects";
  expect((await fetch(`${tenant.baseUrl}/v1/${path}`)).status).toBe(path === "projects" ? 401 : 404);
});

const strict = createTest({ assertFaultsStruck: true });
strict("passes its second try after a fault struck nothing", { retry }, ({ mock, task }) => {
  if (isFirst(task.name)) mock.faults.add({ operation: "projects.list", status: 503 });
});

test.concurrent("passes its second try beside another test", { retry }, async ({ mock, expect, task }) => {
  expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(401);
  expect(isFirst(task.name)).toBe(false);
});

test("fails all of its tries", { retry }, async ({ tenant }) => {
  await fetch(`${tenant.baseUrl}/v1/projcts`);
});

test("has a mock of its own in each repetition", { repeats: 1 }, async ({ mock, expect }) => {
  expect(mock.store.projects.size).toBe(0);
  await mock.seed.project();
});

test.fails("passes because it fails", async ({ mock, expect }) => {
  expect((await fetch(`${mock.baseUrl}/v1/me`)).status).toBe(200);
});

test("were tried twice", ({ expect }) => {
  expect([...tries.values()]).toEqual([2, 2, 2, 2]);
});
