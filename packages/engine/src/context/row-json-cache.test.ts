import { beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryServer, createMemoryDatabaseEngine } from "@mgmt/engine";

let port: number;
let engine: MemoryServer;
let token: string;
let projectId: string;
let databaseId: string;

const open = async (validateResponses: boolean): Promise<void> => {
  port = 5432;
  const addresses = createMemoryDatabaseEngine("db.test");
  engine = new MemoryServer({
    validateResponses,
    onDefect: () => undefined,
    databaseEngine: {
      ...addresses,
      getEndpoints: (id) => {
        const known = addresses.getEndpoints(id);
        return { ...known, direct: { ...known.direct, port } };
      },
    },
  });
  token = await engine.tokens.service();
  const { data } = await ok("POST", "/v1/projects", { name: "shop" });
  projectId = data.id;
  databaseId = data.database.id;
  await engine.idle();
};

const ask = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return engine.handle({
    method,
    path,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
};

const ok = async (method: string, path: string, body?: object) => {
  const response = await ask(method, path, body);
  expect(response.status).toBeLessThan(300);
  return response.body === undefined ? undefined : JSON.parse(response.body);
};

describe("a list that was printed before", () => {
  beforeEach(() => open(true));

  it.each<[path: string, change: string, make: () => Promise<unknown>]>([
    ["/v1/projects", "a project is renamed", () => ok("PATCH", `/v1/projects/${projectId}`, { name: "new" })],
    ["/v1/projects", "a project is added", () => ok("POST", "/v1/projects", { name: "other" })],
    [
      "/v1/databases",
      "its project is renamed",
      () => ok("PATCH", `/v1/projects/${projectId}`, { name: "new" }),
    ],
    [
      "/v1/databases",
      "a connection is added",
      () => ok("POST", "/v1/connections", { databaseId, name: "another" }),
    ],
    [
      "/v1/databases",
      "only the row of its connection has changed",
      () => {
        const { id = "" } = engine.rows.connections.find({ databaseId }) ?? {};
        return Promise.resolve(engine.rows.connections.update(id, { name: "new" }));
      },
    ],
    [
      "/v1/connections",
      "the database is renamed",
      () => ok("PATCH", `/v1/databases/${databaseId}`, { name: "new" }),
    ],
    ["/v1/connections", "the address has changed", () => Promise.resolve((port = 6000))],
    ["/v1/databases", "the address has changed", () => Promise.resolve((port = 6000))],
  ])("shows the present state: GET %s after %s", async (path, _change, make) => {
    const before = await ok("GET", path);
    await make();
    const after = await ok("GET", path);
    expect(after).not.toEqual(before);
    const [row] = after.data;
    const { data } = await ok("GET", `${path}/${row.id}`);
    expect(row).toEqual(data);
  });

  it("says that there is another page once there is one", async () => {
    const before = await ok("GET", "/v1/projects?limit=1");
    await ok("POST", "/v1/projects", { name: "other" });
    const after = await ok("GET", "/v1/projects?limit=1");
    expect(after.data).toEqual(before.data);
    expect([before, after].map(({ pagination }) => pagination.hasMore)).toEqual([false, true]);
  });

  it("shows rows of the collection that it was asked for", async () => {
    await ok("POST", "/v1/apps", { projectId, displayName: "web" });
    for (const collection of ["apps", "services", "apps"]) {
      const { data } = await ok("GET", `/v1/${collection}`);
      expect(data).toMatchObject([{ url: expect.stringContaining(`/v1/${collection}/`) }]);
    }
  });

  it("is checked against the contract each time", async () => {
    await ok("GET", "/v1/connections");
    port = 0.5;
    expect(await ask("GET", "/v1/connections")).toMatchObject({ status: 500 });
    expect(await ask("GET", "/v1/connections")).toMatchObject({ status: 500 });
  });
});

it("prints rows again only if something has changed", async () => {
  await open(false);
  for (const name of ["a", "b", "c"]) await ok("POST", "/v1/projects", { name, createDatabase: false });
  const printed = async (path: string): Promise<number> => {
    const stringify = vi.spyOn(JSON, "stringify");
    await ask("GET", path);
    const calls = stringify.mock.calls.length;
    stringify.mockRestore();
    return calls;
  };
  // The pagination is always printed.
  expect(await printed("/v1/projects")).toBe(5);
  expect(await printed("/v1/projects")).toBe(1);
  expect(await printed("/v1/databases")).toBe(2);
  await ok("PATCH", `/v1/projects/${projectId}`, { name: "new" });
  expect(await printed("/v1/projects")).toBe(2);
  expect(await printed("/v1/databases")).toBe(2);
  expect(await printed("/v1/databases")).toBe(1);
});
