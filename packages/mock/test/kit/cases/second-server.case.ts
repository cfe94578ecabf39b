import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { createTest, test } from "@mgmt/mock/vitest";
import { afterAll, afterEach, describe } from "vitest";
import { endInterception } from "../../earlier-msw.js";

const server = setupServer(http.get("https://payments.example.com/", () => HttpResponse.text("paid")));

describe("a server that listens before", () => {
  afterEach(() => server.close());
  test.beforeEach(() => server.listen());
  test("shares a mock beside another server", ({ tenant }) => void tenant.baseUrl);
  test("has a mock beside another server", ({ mock }) => void mock.baseUrl);
});

describe("a server that listens later", () => {
  afterAll(() => server.close());
  test("starts another server", ({ tenant, expect }) => {
    expect(tenant.baseUrl).toBe("https://api.mgmt.test");
    server.listen();
  });
});

test("closes a server of an earlier version of MSW", ({ tenant, expect }) => {
  expect(tenant.baseUrl).toBe("https://api.mgmt.test");
  endInterception();
});

test("runs after servers that were refused", async ({ tenant, mock, expect }) => {
  for (const { baseUrl } of [tenant, mock]) expect((await fetch(`${baseUrl}/v1/me`)).status).toBe(401);
});

const inServer = createTest({ server });
inServer("forgets to start its server", ({ tenant, expect }) => {
  expect(tenant.baseUrl).toBe("");
});

describe("in a server", () => {
  inServer.beforeEach(() => server.listen());
  afterEach(() => server.close());
  inServer("sends what neither the mock nor the server handles", async ({ tenant, expect }) => {
    expect(tenant.baseUrl).toBe("https://api.mgmt.test");
    await fetch("https://other.example.com/path").catch(() => undefined);
  });
});

const strict = createTest({ assertFaultsStruck: true });
const add = { operation: "projects.list", status: 503 } as const;

strict("adds a fault to its mock that strikes nothing", ({ mock }) => void mock.faults.add(add));
strict(
  "adds a fault to the shared mock that strikes nothing",
  ({ tenant }) => void tenant.mock.faults.add(add),
);
strict("adds a fault that strikes", async ({ tenant, expect }) => {
  tenant.mock.faults.add({ ...add, operation: "me.get", times: 2 });
  const headers = { authorization: `Bearer ${await tenant.tokens.user()}` };
  expect((await tenant.fetch(`${tenant.baseUrl}/v1/me`, { headers })).status).toBe(503);
});
strict("fails before its fault strikes", ({ mock, expect }) => {
  mock.faults.add(add);
  expect(1).toBe(2);
});
test("does not ask whether its fault strikes", ({ mock }) => void mock.faults.add(add));
