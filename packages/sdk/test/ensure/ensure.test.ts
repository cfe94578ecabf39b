import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import {
  AppAlreadyExistsError,
  type CreateApp,
  type EnsureDatabase,
  type EnsureProject,
  InternalServerError,
  InvalidArgumentError,
  type MgmtClient,
  ProjectNotFoundError,
  ServiceUnavailableError,
  TimeoutError,
  ValidationFailedError,
  createClient,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { immediatePauses } from "../immediate-pauses.js";
import { thrown } from "../server.js";

let server: RunningServer;
let client: MgmtClient;

beforeAll(async () => {
  server = await createServer();
});
beforeEach(async () => {
  await server.engine.reset();
  const token = await server.engine.tokens.user();
  client = createClient({
    baseUrl: server.baseUrl,
    token,
    transport: nodeTransport(),
    timers: immediatePauses,
  });
});
afterAll(() => server.close());

const projects = () => client.projects.list().toArray();

describe("databases.ensure", () => {
  const body = async (): Promise<EnsureDatabase> => {
    const { id: projectId } = await client.projects.create({ createDatabase: false });
    return { projectId, logicalId: "orders" };
  };
  const namesOf = async (databaseId: string) =>
    (await client.databases.connections.list(databaseId).toArray()).map(({ name }) => name);

  it("creates a connection for a database that it creates, and none for one that exists", async () => {
    const wanted = await body();
    const first = await client.databases.ensure(wanted);
    if (!first.created) throw new Error("It existed already.");
    expect(first.resource).not.toHaveProperty("connectionString");
    expect(first.connection.database.id).toBe(first.resource.id);
    expect(first.connection.connectionString).toMatch(/^postgres:/);
    const second = await client.databases.ensure(wanted);
    expect(second).toEqual({ created: false, resource: expect.objectContaining({ id: first.resource.id }) });
    expect(await namesOf(first.resource.id)).toEqual(["default", "mgmt"]);
  });

  it("creates no connection on request", async () => {
    const { created, resource, ...credentials } = await client.databases.ensure(await body(), {
      credentials: false,
    });
    expect({ created, credentials }).toEqual({ created: true, credentials: {} });
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("creates no connection if the response to the create was lost", async () => {
    server.engine.faults.add({ operation: "databases.create", drop: "after", times: 1 });
    const { created, resource } = await client.databases.ensure(await body());
    expect(created).toBe(false);
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("throws if the connection cannot be created, and returns the database the next time", async () => {
    const wanted = await body();
    server.engine.faults.add({ operation: "connections.create", status: 500, times: 1 });
    await expect(client.databases.ensure(wanted)).rejects.toBeInstanceOf(InternalServerError);
    const { created, resource } = await client.databases.ensure(wanted);
    expect(created).toBe(false);
    expect(await namesOf(resource.id)).toEqual(["default"]);
  });

  it("creates the connection within its deadline, and stops when the caller aborts", async () => {
    server.engine.faults.add({ operation: "connections.create", latency: 10_000 });
    const wanted = await body();
    await expect(client.databases.ensure(wanted, { timeoutMs: 300 })).rejects.toBeInstanceOf(TimeoutError);
    const caller = new AbortController();
    const reason = new Error("enough");
    const aborted = client.databases.ensure({ ...wanted, logicalId: "other" }, { signal: caller.signal });
    setTimeout(() => caller.abort(reason), 300);
    await expect(aborted).rejects.toBe(reason);
  });
});

describe("projects.ensure", () => {
  it("creates a project that is not there, and gets it when it is", async () => {
    const body = { logicalId: "shop", name: "Shop" };
    const first = await client.projects.ensure(body);
    if (!first.created) throw new Error("It was there already.");
    expect(first.resource.database?.connectionString).toMatch(/^postgres/);
    const second = await client.projects.ensure({ ...body, name: "Another name" });
    expect(second).toMatchObject({ created: false, resource: { id: first.resource.id, name: "Shop" } });
    expect(second.resource).not.toHaveProperty("database.connectionString");
  });

  it("creates one for many concurrent calls, and reports to one of them that it did", async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, () => client.projects.ensure({ logicalId: "x" })),
    );
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(all.map(({ resource }) => resource.id)).size).toBe(1);
    expect(await projects()).toHaveLength(1);
  });

  it("finds what it created when the response was lost, without the one-time secrets", async () => {
    server.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    const { created, resource } = await client.projects.ensure({ logicalId: "x" });
    expect(created).toBe(false);
    expect(JSON.stringify(resource)).not.toContain("connectionString");
    expect(await projects()).toHaveLength(1);
  });

  it.each([
    ["a connection that is cut before the work", { drop: "before" }],
    ["a 500", { status: 500 }],
    ["a proxy's 502", { status: 502, body: "<html>" }],
    ["a 429", { status: 429 }],
    ["a 503 with Retry-After", { status: 503 }],
  ] as const)("creates it after %s", async (_, fault) => {
    server.engine.faults.add({ operation: "projects.create", times: 1, ...fault });
    expect((await client.projects.ensure({ logicalId: "x" })).created).toBe(true);
    expect(await projects()).toHaveLength(1);
  });

  it("continues when the lookup fails too", async () => {
    server.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    server.engine.faults.add({ operation: "projects.list", drop: "before", times: 4 });
    expect((await client.projects.ensure({ logicalId: "x" })).created).toBe(false);
    expect(await projects()).toHaveLength(1);
  });

  it("throws what is no conflict, and makes nothing", async () => {
    expect(await thrown(client.projects.ensure({ logicalId: "-bad" }))).toBeInstanceOf(ValidationFailedError);
    const stranger = client.databases.ensure({ projectId: "proj_none", name: "x", logicalId: "x" });
    expect(await thrown(stranger)).toBeInstanceOf(ProjectNotFoundError);
    expect(await projects()).toHaveLength(0);
  });

  it.each([undefined, null, {}, { name: "x" }, { logicalId: "" }, { logicalId: 5 }])(
    "refuses a missing logicalId instead of returning an arbitrary project: %j",
    async (body) => {
      await client.projects.create({ name: "of somebody else" });
      const before = server.engine.requests.length;
      server.engine.faults.add({ operation: "projects.create", drop: "before", times: 1 });
      // JavaScript callers can pass anything.
      const error = await thrown(client.projects.ensure(body as unknown as EnsureProject));
      expect(error).toBeInstanceOf(InvalidArgumentError);
      expect(error).toMatchObject({ argument: "logicalId" });
      expect(error).not.toHaveProperty("attempts");
      expect(server.engine.requests).toHaveLength(before);
    },
  );

  it("fails when the service always fails", { timeout: 60_000 }, async () => {
    server.engine.faults.add({ operation: "projects.create", status: 500 });
    const error = await thrown(client.projects.ensure({ logicalId: "x" }));
    expect(error).toBeInstanceOf(InternalServerError);
  });

  it("throws the last error, with all attempts, instead of starting a pause past its deadline", async () => {
    server.engine.faults.add({ status: 503 });
    // Pauses are at most half a second long otherwise, which a busy machine cannot tell from the deadline.
    vi.spyOn(Math, "random").mockReturnValue(1_000);
    const error = await thrown(client.projects.ensure({ logicalId: "x" }, { timeoutMs: 60_000 }));
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect((error as ServiceUnavailableError).attempts?.map(({ status }) => status)).toEqual(
      server.engine.requests.map(({ status }) => status),
    );
    expect(server.engine.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("ends at its deadline, and when its caller aborts, with the caller's reason", async () => {
    server.engine.faults.add({ operation: "projects.create", latency: 10_000 });
    const late = await thrown(client.projects.ensure({ logicalId: "x" }, { timeoutMs: 500 }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toMatchObject({ timeoutMs: 500, attempts: [{ pauseMs: 0 }] });
    const controller = new AbortController();
    const call = thrown(client.projects.ensure({ logicalId: "x" }, { signal: controller.signal }));
    setTimeout(() => controller.abort("enough"), 50);
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
  });

  it("gives each request the timeout of the client, unless it has one of its own", async () => {
    // The create fails slowly, and the lookup after it finds nothing in time.
    server.engine.faults.add({ operation: "projects.list", latency: 60_000 });
    server.engine.faults.add({ operation: "projects.create", drop: "before", times: 1 });
    const token = await server.engine.tokens.user();
    const hasty = createClient({
      baseUrl: server.baseUrl,
      token,
      transport: nodeTransport(),
      timeoutMs: 300,
    });
    const late = await thrown(hasty.projects.ensure({ logicalId: "x" }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toMatchObject({ timeoutMs: 300, method: "GET" });
    server.engine.faults.clear();
    const patient = await hasty.projects.ensure({ logicalId: "x" }, { timeoutMs: 60_000 });
    expect(patient.created).toBe(true);
  });
});

describe("databases.ensure", () => {
  it("identifies one per branch: on the default branch unless another is named", async () => {
    const { id: projectId } = await client.projects.create();
    const branch = await client.projects.branches.create(projectId, { gitName: "feature" });
    const body = { projectId, name: "reports", logicalId: "reports" };
    const first = await client.databases.ensure(body);
    const elsewhere = await client.databases.ensure({ ...body, branchId: branch.id });
    expect([first.created, elsewhere.created]).toEqual([true, true]);
    const again = await client.databases.ensure(body);
    expect(again).toMatchObject({ created: false, resource: { id: first.resource.id } });
    const there = await client.databases.ensure({ ...body, branchId: branch.id });
    expect(there.resource.id).toBe(elsewhere.resource.id);
  });
});

describe("projects.branches.ensure", () => {
  it("creates a branch that does not exist, and returns it if it does", async () => {
    const { id } = await client.projects.create();
    const first = await client.projects.branches.ensure(id, { gitName: "feature" });
    const second = await client.projects.branches.ensure(id, { gitName: "feature" });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.resource).toEqual(first.resource);
    expect((await client.projects.branches.ensure(id, { gitName: "main" })).created).toBe(false);
    expect(await client.projects.branches.list(id).toArray()).toHaveLength(2);
  });

  it("finds the branch after a lost response, in its own project", async () => {
    const [one, other] = [await client.projects.create(), await client.projects.create()];
    await client.projects.branches.create(other.id, { gitName: "feature" });
    server.engine.faults.add({ operation: "projects.branches.create", drop: "after", times: 1 });
    const { created, resource } = await client.projects.branches.ensure(one.id, { gitName: "feature" });
    expect([created, resource.project.id]).toEqual([false, one.id]);
  });

  it("requires a git name", async () => {
    const { id } = await client.projects.create();
    const error = await thrown(client.projects.branches.ensure(id, { gitName: "" }));
    expect(error).toMatchObject({ argument: "gitName" });
  });
});

describe("the identity of a project's resource", () => {
  it.each([
    [{}, "projectId"],
    [{ projectId: "proj_1" }, "displayName"],
    [{ projectId: "proj_1", displayName: "" }, "displayName"],
    [{ projectId: "proj_1", displayName: "x", logicalId: "" }, "logicalId"],
  ])("must be given before anything is sent: %j", async (body, argument) => {
    // JavaScript callers can pass anything.
    const service = await thrown(client.services.ensure(body as CreateApp));
    expect(service).toMatchObject({ code: "argument:invalid", argument });
    const database = await thrown(client.databases.ensure(body as EnsureDatabase));
    expect(database).toMatchObject({ argument: "projectId" in body ? "logicalId" : "projectId" });
    expect(server.engine.requests).toEqual([]);
  });
});

describe.each(["apps", "services"] as const)("%s.ensure", (name) => {
  it("gets by logicalId, whatever the name is, also after a lost response", async () => {
    const { id: projectId } = await client.projects.create();
    server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const body = { projectId, displayName: "Web", logicalId: "web" };
    const first = await client[name].ensure(body);
    const second = await client[name].ensure({ ...body, displayName: "Front" });
    expect([first.created, second.created]).toEqual([false, false]);
    expect(second.resource).toMatchObject({ id: first.resource.id, name: "Web" });
  });

  it("gets by name where there is no logicalId, also after a lost response", async () => {
    const { id: projectId } = await client.projects.create();
    server.engine.faults.add({ operation: `${name}.create`, drop: "after", times: 1 });
    const first = await client[name].ensure({ projectId, displayName: "Web" });
    const second = await client[name].ensure({ projectId, displayName: "Web" });
    expect(second).toMatchObject({ created: false, resource: { id: first.resource.id } });
    const none = { projectId, displayName: "Web", branchId: null };
    const unassigned = await client[name].ensure(none);
    expect(unassigned.created).toBe(true);
    expect((await client[name].ensure(none)).resource.id).toBe(unassigned.resource.id);
  });

  it("throws the conflict when another has the name", async () => {
    const { id: projectId } = await client.projects.create();
    await client[name].create({ projectId, displayName: "Web" });
    const error = await thrown(client[name].ensure({ projectId, displayName: "Web", logicalId: "web" }));
    expect(error).toBeInstanceOf(AppAlreadyExistsError);
    expect(error).toHaveProperty("attempts.length", 1);
  });
});
