import { inspect, isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import { type MgmtClient, createClient } from "@mgmt/sdk";

const mock = setupMock({ deterministic: "inspection" });
let client: MgmtClient;

beforeAll(async () => {
  mock.listen({ onUnhandledRequest: "error" });
  client = createClient({ baseUrl: mock.baseUrl, token: await mock.tokens.user() });
});
afterEach(() => mock.reset());
afterAll(() => mock.close());

/** A client of a service that always returns the same. */
const answering = (body: object): MgmtClient =>
  createClient({ baseUrl: "https://x.test", token: false, fetch: async () => Response.json(body) });

/** Everything that `console.log` can show of a value. */
const shown = (value: unknown): string =>
  [{}, { depth: Infinity }, { depth: Infinity, showHidden: true }, { compact: false, depth: 9, colors: true }]
    .map((options) => inspect(value, options))
    .join("\n");

describe("a printed response", () => {
  it("masks passwords and connection strings wherever a database or a connection is", async () => {
    const project = await client.projects.create({ name: "shop" });
    const databaseId = project.database?.id ?? "";
    const created = await client.databases.connections.create(databaseId, { name: "web" });
    const secrets = [created.pass ?? "", project.database?.directConnection?.pass ?? ""];
    expect(secrets.every((each) => each.length > 8)).toBe(true);
    const database = await client.databases.get(databaseId);
    const page = await client.databases.list();
    const values = [
      project,
      project.database,
      created,
      created.endpoints,
      database,
      database.connections,
      database.connections[0],
      database.connections[0]?.directConnection,
      page,
      await client.databases.list().toArray(),
      await client.databases.list().withResponse(),
      await client.databases.get(databaseId).withResponse(),
      await client.databases.connections.list(databaseId),
      await client.connections.list().toArray(),
      await client.safe.databases.get(databaseId),
      await client.connections.rotate(created.id),
      await client.request({ method: "GET", path: `/v1/databases/${databaseId}` }),
      (await client.http.GET("/v1/databases/{databaseId}", { params: { path: { databaseId } } })).data,
      (await client.projects.ensure({ logicalId: "shop" })).resource,
      new Map([["of", { database }]]),
    ];
    for (const value of values) {
      const text = shown(value);
      expect(text).toContain("[redacted]");
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/postgres:\/\/[^[]*:[^[]*@/);
    }
    expect(inspect(database.connections[0]?.directConnection)).toBe(
      `{\n  host: '${database.connections[0]?.directConnection?.host ?? ""}',\n  pass: '[redacted]',\n  user: '${database.connections[0]?.directConnection?.user ?? ""}'\n}`,
    );
  });

  it("masks the value of a service token and upload URLs, and shows null", async () => {
    const client = answering({
      data: {
        id: "x",
        value: "secret-1",
        uploadUrl: "https://secret-2",
        connectionString: null,
        pass: undefined,
      },
    });
    const made = await client.services.get("x");
    expect(inspect(made)).toBe(
      "{\n  id: 'x',\n  value: '[redacted]',\n  uploadUrl: '[redacted]',\n  connectionString: null\n}",
    );
  });

  it("changes nothing else: fields, copies, clones, JSON and comparisons have the secrets", async () => {
    const client = answering({ data: { id: "x", pass: "secret-1" } });
    const made = await client.services.get("x");
    const plain = { id: "x", pass: "secret-1" };
    expect(Reflect.get(made, "pass")).toBe("secret-1");
    expect(JSON.stringify(made)).toBe(JSON.stringify(plain));
    expect(isDeepStrictEqual(made, plain)).toBe(true);
    expect(made).toStrictEqual(plain);
    for (const copy of [{ ...made }, structuredClone(made), Object.assign({}, made)]) {
      expect(copy).toStrictEqual(plain);
      expect(inspect(copy)).toContain("secret-1");
    }
    expect(Object.keys(made)).toEqual(["id", "pass"]);
  });

  it("is read, even if it is nested very deeply", async () => {
    const text = `{"data":{"id":"x","pass":"p","deep":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
    const client = createClient({
      baseUrl: "https://x.test",
      token: false,
      fetch: async () => new Response(text),
    });
    expect(await client.services.get("x")).toMatchObject({ id: "x" });
  });
});
