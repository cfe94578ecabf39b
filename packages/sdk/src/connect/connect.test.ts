import { inspect } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  type ConnectOptions,
  type CreateProject,
  type Fetch,
  MgmtError,
  WaitTimeoutError,
  connectionString,
} from "@mgmt/sdk";
import { thrown } from "../../test/server.js";

/** Waits by its own clock. A new database is ready after a second. */
const mock = setupMock();
const client = mock.client();
beforeEach(() => mock.reset());
afterAll(() => mock.close());

/** Returns the operation and status of every request. */
const requests = (): string[] => mock.requests.map(({ operationId, status }) => `${operationId} ${status}`);
const requestsOf = (operation: string): string[] =>
  requests().filter((request) => request.startsWith(`${operation} `));

/** Returns the error of a call, which must be one of the SDK. */
const failureOf = async (call: Promise<unknown>): Promise<MgmtError> => {
  const error = await thrown(call);
  if (!(error instanceof MgmtError)) throw error;
  return error;
};

/** A service that reports passwords only of connections that are created one by one. */
const withoutPasswords: Fetch = async (url, init) => {
  const response = await mock.fetch(url, init);
  if (url.endsWith("/v1/connections")) return response;
  const text = (await response.text()).replaceAll(/"directConnection":\{[^}]*\}/g, '"directConnection":null');
  return new Response(text, { status: response.status });
};

const unreadable = mock.client({ fetch: withoutPasswords });

describe("projects.createAndConnect", () => {
  it("creates, waits, and returns the connection string", async () => {
    const { project, database, connection, ...result } = await client.projects.createAndConnect({
      name: "shop",
    });
    expect(project).toMatchObject({ name: "shop", database: { id: database.id } });
    expect(database.status).toBe("ready");
    expect(result.connectionString).toBe(connectionString(connection));
    expect(new URL(result.connectionString).password).toBe(project.database?.directConnection?.pass);
    expect(new Set(requests())).toEqual(new Set(["projects.create 201", "databases.get 200"]));
  });

  it("prints no password with console.log", async () => {
    const shop = await client.projects.createAndConnect({ name: "shop" });
    const cart = await unreadable.projects.createAndConnect({ name: "cart" });
    for (const result of [shop, cart]) {
      const { password } = new URL(result.connectionString);
      expect(password).not.toBe("");
      expect(inspect(result, { depth: null })).not.toContain(password);
    }
  });

  it.for(["p'a(s)s!*", "a@b:c/d?e#f%", "\u00e9\u4e2d", "127.0.0.1"])(
    "encodes a password as connectionString() does: %s",
    async (pass) => {
      const withPassword: Fetch = async (url, init) => {
        const body = (await (await mock.fetch(url, init)).text()).replaceAll(
          /"directConnection":\{[^}]*\}/g,
          `"directConnection":${JSON.stringify({ host: "db.test:5432", user: "u ser", pass })}`,
        );
        return new Response(body);
      };
      const result = await mock.client({ fetch: withPassword }).projects.createAndConnect();
      expect(result.connectionString).toBe(connectionString(result.connection));
      expect(new URL(result.connectionString).searchParams.get("sslmode")).toBe("require");
    },
  );

  it("goes on after a timeout with the resume of its error, which shows no secret", async () => {
    const error = await failureOf(client.projects.createAndConnect({ name: "shop" }, { timeoutMs: 500 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    const hint: unknown = expect.stringContaining("error.resume.connect()");
    expect(error).toMatchObject({ code: "wait:timeout", timeoutMs: 500, lastStatus: "provisioning", hint });
    expect(error.message).toContain("after 500 ms");
    const [project] = (await client.projects.list()).data;
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      resume: { projectId: project?.id, databaseId: expect.stringMatching(/^db_/) },
    });

    const connected = await error.resume?.connect();
    expect(connected).toMatchObject({ project: { id: project?.id }, database: { status: "ready" } });
    expect(requestsOf("projects.create")).toHaveLength(1);
    const { password } = new URL(connected?.connectionString ?? "");
    expect(password).not.toBe("");
    for (const text of [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(error)])
      expect(text).not.toContain(password);
  });

  it("says what exists if it is aborted between its steps, and leaves the reason as it is", async () => {
    const controller = new AbortController();
    const reason = Object.freeze(new Error("The user closed the page"));
    const error = await failureOf(
      client.projects.createAndConnect(
        {},
        {
          signal: controller.signal,
          // The wait ends before it returns a database that is ready.
          onProgress: () => controller.abort(reason),
        },
      ),
    );
    expect(error).toMatchObject({ code: "connect:aborted", cause: reason });
    expect(error.message).toContain(error.resume?.projectId);
  });

  it("throws the reason of a signal that is aborted before anything exists", async () => {
    const reason = new Error("too early");
    const signal = AbortSignal.abort(reason);
    expect(await thrown(client.projects.createAndConnect({}, { signal }))).toBe(reason);
    expect(requests()).toEqual([]);
  });

  it.for<[string, CreateProject, ConnectOptions]>([
    ["createDatabase", { createDatabase: false }, {}],
    ["timeoutMs", {}, { timeoutMs: 0 }],
    ["pollIntervalMs", {}, { pollIntervalMs: -1 }],
    ["dryRun", {}, JSON.parse('{ "dryRun": true }')],
  ])("refuses an invalid %s before it creates anything", async ([argument, body, options]) => {
    const error = await thrown(client.projects.createAndConnect(body, options));
    expect(error).toMatchObject({ code: "argument:invalid", argument });
    expect(requests()).toEqual([]);
  });

  it("passes the error of the create on, without a resume", async () => {
    const error = await failureOf(client.projects.createAndConnect({ region: "mars-1" }));
    expect(error).toMatchObject({ code: "validation:failed" });
    expect(error).not.toHaveProperty("resume");
  });
});

describe("projects.ensureAndConnect", () => {
  it("returns the same connection string again, and creates nothing", async () => {
    const first = await client.projects.ensureAndConnect({ logicalId: "shop" });
    const second = await client.projects.ensureAndConnect({ logicalId: "shop" });
    expect(first.created).toBe(true);
    expect(second).toMatchObject({ created: false, connectionString: first.connectionString });
    expect(second.project.id).toBe(first.project.id);
    expect(requestsOf("projects.create")).toEqual(["projects.create 201", "projects.create 409"]);
    expect(requestsOf("connections.create")).toEqual([]);
  });

  it("creates a connection if the service reports no password", async () => {
    const first = await unreadable.projects.ensureAndConnect({ logicalId: "shop" });
    const second = await unreadable.projects.ensureAndConnect({ logicalId: "shop" });
    expect(new URL(second.connectionString).password).not.toBe(new URL(first.connectionString).password);
    const { connections } = await client.databases.get(second.database.id);
    expect(connections.map(({ name }) => name)).toContain("mgmt");
  });

  it("says that the project has no database", async () => {
    const { id } = await client.projects
      .ensure({ logicalId: "empty", createDatabase: false })
      .then(({ resource }) => resource);
    const error = await thrown(client.projects.ensureAndConnect({ logicalId: "empty" }));
    expect(error).toMatchObject({ code: "connect:no_database", message: expect.stringContaining(id) });
  });
});

describe("databases.createAndConnect", () => {
  it("uses the first connection of the new database", async () => {
    const { id: projectId } = await mock.seed.project({ name: "shop" });
    const body = { projectId, name: "reports" };
    const { database, connectionString } = await client.databases.createAndConnect(body);
    expect(database).toMatchObject({ name: "reports", status: "ready" });
    expect(new URL(connectionString).password).not.toBe("");
    expect(requestsOf("connections.create")).toEqual([]);
  });

  it("goes on after the connection could not be created", async () => {
    mock.faults.add({ operation: "connections.create", status: 500, times: 1 });
    const { id: projectId } = await mock.seed.project({ name: "shop" });
    const error = await failureOf(unreadable.databases.createAndConnect({ projectId }));
    expect(error).toMatchObject({ status: 500, resume: { databaseId: expect.stringMatching(/^db_/) } });
    expect(error.resume).not.toHaveProperty("projectId");
    const { database } = (await error.resume?.connect()) ?? {};
    expect(database?.id).toBe(error.resume?.databaseId);
    expect(requestsOf("databases.create")).toHaveLength(1);
  });
});

describe("databases.ensureAndConnect", () => {
  it("creates one database and one connection for two calls", async () => {
    const { id: projectId } = await mock.seed.project({ name: "shop" });
    const body = { projectId, logicalId: "reports" };
    const first = await client.databases.ensureAndConnect(body);
    const second = await client.databases.ensureAndConnect(body);
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.connectionString).toBe(first.connectionString);
    expect(second.database.connections).toHaveLength(1);
  });
});
