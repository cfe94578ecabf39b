import { describe, expect, it, vi } from "vitest";
import {
  type EnsureProject,
  InternalServerError,
  InvalidArgumentError,
  ProjectNotFoundError,
  ServiceUnavailableError,
  TimeoutError,
  ValidationFailedError,
  createClient,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { immediatePauses } from "../../test/immediate-pauses.js";
import { useEnsureClient } from "../../test/ensure/ensure-client.js";
import { thrown } from "../../test/server.js";

const world = useEnsureClient();

const projects = () => world.client.projects.list().toArray();

describe("projects.ensure", () => {
  it("creates a project that is not there, and gets it when it is", async () => {
    const body = { logicalId: "shop", name: "Shop" };
    const first = await world.client.projects.ensure(body);
    if (!first.created) throw new Error("It was there already.");
    expect(first.resource.database?.connectionString).toMatch(/^postgres/);
    const second = await world.client.projects.ensure({ ...body, name: "Another name" });
    expect(second).toMatchObject({ created: false, resource: { id: first.resource.id, name: "Shop" } });
    expect(second.resource).not.toHaveProperty("database.connectionString");
  });

  it("creates one for many concurrent calls, and reports to one of them that it did", async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, () => world.client.projects.ensure({ logicalId: "x" })),
    );
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(all.map(({ resource }) => resource.id)).size).toBe(1);
    expect(await projects()).toHaveLength(1);
  });

  it("finds what it created when the response was lost, without the one-time secrets", async () => {
    world.server.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    const { created, resource } = await world.client.projects.ensure({ logicalId: "x" });
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
    world.server.engine.faults.add({ operation: "projects.create", times: 1, ...fault });
    expect((await world.client.projects.ensure({ logicalId: "x" })).created).toBe(true);
    expect(await projects()).toHaveLength(1);
  });

  it("continues when the lookup fails too", async () => {
    world.server.engine.faults.add({ operation: "projects.create", drop: "after", times: 1 });
    world.server.engine.faults.add({ operation: "projects.list", drop: "before", times: 4 });
    expect((await world.client.projects.ensure({ logicalId: "x" })).created).toBe(false);
    expect(await projects()).toHaveLength(1);
  });

  it("creates nothing after an error other than a conflict, and throws it", async () => {
    expect(await thrown(world.client.projects.ensure({ logicalId: "-bad" }))).toBeInstanceOf(
      ValidationFailedError,
    );
    const stranger = world.client.databases.ensure({ projectId: "proj_none", name: "x", logicalId: "x" });
    expect(await thrown(stranger)).toBeInstanceOf(ProjectNotFoundError);
    expect(await projects()).toHaveLength(0);
  });

  it.each([undefined, null, {}, { name: "x" }, { logicalId: "" }, { logicalId: 5 }])(
    "refuses a missing logicalId instead of returning an arbitrary project: %j",
    async (body) => {
      await world.client.projects.create({ name: "of somebody else" });
      const before = world.server.engine.requests.length;
      world.server.engine.faults.add({ operation: "projects.create", drop: "before", times: 1 });
      // JavaScript callers can pass anything.
      const error = await thrown(world.client.projects.ensure(body as unknown as EnsureProject));
      expect(error).toBeInstanceOf(InvalidArgumentError);
      expect(error).toMatchObject({ argument: "logicalId" });
      expect(error).not.toHaveProperty("attempts");
      expect(world.server.engine.requests).toHaveLength(before);
    },
  );

  it("fails when the service always fails", { timeout: 60_000 }, async () => {
    world.server.engine.faults.add({ operation: "projects.create", status: 500 });
    const error = await thrown(world.client.projects.ensure({ logicalId: "x" }));
    expect(error).toBeInstanceOf(InternalServerError);
  });

  it("throws the last error, with all attempts, instead of starting a pause past its deadline", async () => {
    world.server.engine.faults.add({ status: 503 });
    // Pauses are at most half a second long otherwise, which a busy machine cannot tell from the deadline.
    vi.spyOn(Math, "random").mockReturnValue(1_000);
    const error = await thrown(world.client.projects.ensure({ logicalId: "x" }, { timeoutMs: 60_000 }));
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect((error as ServiceUnavailableError).attempts?.map(({ status }) => status)).toEqual(
      world.server.engine.requests.map(({ status }) => status),
    );
    expect(world.server.engine.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("gives up after 8 rounds if the resource neither can be created nor is found", async () => {
    const methods: string[] = [];
    const send = async ({ method }: { method: string }) => {
      methods.push(method);
      const conflict = { error: { code: "project:logical_id_conflict", message: "It exists." } };
      const page = { data: [], pagination: { hasMore: false, nextCursor: null } };
      const isCreate = method === "POST";
      return { status: isCreate ? 409 : 200, headers: {}, body: JSON.stringify(isCreate ? conflict : page) };
    };
    const options = { baseUrl: "https://api.test", token: false, transport: { send } } as const;
    const busy = createClient({ ...options, timers: immediatePauses });
    const error = await thrown(busy.projects.ensure({ logicalId: "x" }));
    expect(error).toMatchObject({ code: "project:logical_id_conflict" });
    expect(methods.filter((method) => method === "POST")).toHaveLength(8);
  });

  it("ends at its deadline, and when its caller aborts, with the caller's reason", async () => {
    world.server.engine.faults.add({ operation: "projects.create", latency: 10_000 });
    const late = await thrown(world.client.projects.ensure({ logicalId: "x" }, { timeoutMs: 500 }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toMatchObject({ timeoutMs: 500, attempts: [{ pauseMs: 0 }] });
    world.server.engine.faults.clear();
    world.server.engine.faults.add({ operation: "projects.create", latency: 10_000, times: 1 });
    const controller = new AbortController();
    const call = thrown(world.client.projects.ensure({ logicalId: "x" }, { signal: controller.signal }));
    await vi.waitFor(() => expect(world.server.engine.faults.hasFaults).toBe(false));
    controller.abort("enough");
    expect(await call).toMatchObject({ name: "AbortError", cause: "enough" });
  });

  it("gives each request the timeout of the world.client, unless it has one of its own", async () => {
    // The create fails slowly, and the lookup after it finds nothing in time.
    world.server.engine.faults.add({ operation: "projects.list", latency: 60_000 });
    world.server.engine.faults.add({ operation: "projects.create", drop: "before", times: 1 });
    const token = await world.server.engine.tokens.user();
    const hasty = createClient({
      baseUrl: world.server.baseUrl,
      token,
      transport: nodeTransport(),
      timeoutMs: 300,
    });
    const late = await thrown(hasty.projects.ensure({ logicalId: "x" }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toMatchObject({ timeoutMs: 300, method: "GET" });
    world.server.engine.faults.clear();
    const patient = await hasty.projects.ensure({ logicalId: "x" }, { timeoutMs: 60_000 });
    expect(patient.created).toBe(true);
  });
});
