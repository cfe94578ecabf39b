import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import {
  type App,
  type ConnectionWithSecrets,
  type Database,
  type EnsurePlan,
  type EnsureResult,
  type MgmtClient,
  ProjectNotFoundError,
  createClient,
} from "@mgmt/sdk";
import { thrown } from "../../test/server.js";

let server: RunningServer;
let client: MgmtClient;
let projectId: string;
const sent: string[] = [];

beforeAll(async () => {
  server = await createServer();
});
beforeEach(async () => {
  await server.engine.reset();
  const token = await server.engine.tokens.user();
  client = createClient({
    baseUrl: server.baseUrl,
    token,
    middleware: [
      (request, next) => {
        sent.push(request.method);
        return next(request);
      },
    ],
  });
  projectId = (await client.projects.create({ name: "Shop", createDatabase: false, logicalId: "shop" })).id;
  sent.length = 0;
});
afterAll(() => server.close());

const dryRun = { dryRun: true } as const;

describe("ensure with dryRun", () => {
  it("says what each resource needs, and sends only GET", async () => {
    const plans = (): Promise<EnsurePlan<{ id: string }>>[] => [
      client.projects.ensure({ logicalId: "blog" }, dryRun),
      client.databases.ensure({ projectId, logicalId: "orders" }, dryRun),
      client.projects.branches.ensure(projectId, { gitName: "feature" }, dryRun),
      client.services.ensure({ projectId, displayName: "web" }, dryRun),
      client.apps.ensure({ projectId, displayName: "app" }, dryRun),
    ];
    const create = { action: "create", resource: undefined };
    expect(await Promise.all(plans())).toEqual([create, create, create, create, create]);
    expect(new Set(sent)).toEqual(new Set(["GET"]));
    const made = [
      await client.projects.ensure({ logicalId: "blog" }),
      await client.databases.ensure({ projectId, logicalId: "orders" }, { dryRun: false }),
      await client.projects.branches.ensure(projectId, { gitName: "feature" }),
      await client.services.ensure({ projectId, displayName: "web" }),
      await client.apps.ensure({ projectId, displayName: "app" }),
    ];
    expect(made.map(({ created }) => created)).toEqual([true, true, true, true, true]);
    sent.length = 0;
    expect(await Promise.all(plans())).toMatchObject(
      made.map(({ resource: { id } }) => ({ action: "none", resource: { id } })),
    );
    expect(new Set(sent)).toEqual(new Set(["GET"]));
  });

  it("reports a conflict that the real call would throw", async () => {
    const { resource } = await client.services.ensure({ projectId, displayName: "web" });
    const body = { projectId, displayName: "web", logicalId: "front" };
    expect(await client.services.ensure(body, dryRun)).toMatchObject({
      action: "conflict",
      property: "name",
      resource: { id: resource.id },
    });
    expect(await thrown(client.services.ensure(body))).toMatchObject({ code: "app:already_exists" });
  });

  it("throws for a parent that does not exist, and without an identity", async () => {
    const absent = { projectId: "proj_absent123456", logicalId: "orders" };
    expect(await thrown(client.databases.ensure(absent, dryRun))).toBeInstanceOf(ProjectNotFoundError);
    // JavaScript callers can pass anything.
    const anything: object = {};
    expect(await thrown(client.projects.ensure(anything as { logicalId: string }, dryRun))).toMatchObject({
      code: "argument:invalid",
      argument: "logicalId",
    });
  });

  it("ends at its deadline, and with the reason of its signal", async () => {
    const reason = new Error("The user left.");
    const signal = AbortSignal.abort(reason);
    expect(await thrown(client.projects.ensure({ logicalId: "a" }, { dryRun: true, signal }))).toBe(reason);
    const stuck = createClient({
      baseUrl: "https://x.test",
      token: false,
      transport: { send: () => new Promise(() => undefined) },
    });
    const options = { dryRun: true, timeoutMs: 20 } as const;
    expect(await thrown(stuck.projects.ensure({ logicalId: "a" }, options))).toMatchObject({
      code: "connection:timeout",
      timeoutMs: 20,
    });
    expect(sent).toEqual([]);
  });

  it("refuses a value that is not a boolean", async () => {
    // JavaScript callers can pass anything.
    const options: object = { dryRun: "yes" };
    expect(await thrown(client.projects.ensure({ logicalId: "a" }, options))).toMatchObject({
      argument: "dryRun",
      problem: "must be true or false",
    });
    expect(sent).toEqual([]);
  });

  it("has a type of its own, also in client.safe", async () => {
    const plan = await client.databases.ensure({ projectId, logicalId: "orders" }, dryRun);
    expectTypeOf(plan).toEqualTypeOf<EnsurePlan<Database>>();
    if (plan.action === "create") expectTypeOf(plan.resource).toEqualTypeOf<undefined>();
    else expectTypeOf(plan.resource).toEqualTypeOf<Database>();
    const { data } = await client.safe.services.ensure({ projectId, displayName: "web" }, dryRun);
    expectTypeOf(data).toEqualTypeOf<EnsurePlan<App> | undefined>();
    const real = await client.safe.services.ensure({ projectId, displayName: "web" });
    expectTypeOf(real.data).toEqualTypeOf<EnsureResult<App> | undefined>();
    expect(real.data?.created).toBe(true);
    expect([plan.action, data?.action]).toEqual(["create", "create"]);
  });

  it.each([true, false])(
    "accepts a variable, whose result is a plan or that of a real call: %j",
    async (flag: boolean) => {
      const body = { projectId, logicalId: "orders" };
      const outcome = await client.databases.ensure(body, { dryRun: flag });
      if ("action" in outcome) expectTypeOf(outcome).toEqualTypeOf<EnsurePlan<Database>>();
      else if (outcome.created) expectTypeOf(outcome.connection).toEqualTypeOf<ConnectionWithSecrets>();
      expect("action" in outcome).toBe(flag);
      expect(sent.includes("POST")).toBe(!flag);
      const named = { projectId, displayName: "web" };
      const safe = await client.safe.services.ensure(named, { dryRun: flag, timeoutMs: 30_000 });
      expectTypeOf(safe.data).toEqualTypeOf<EnsureResult<App> | EnsurePlan<App> | undefined>();
      expect(safe.data && "action" in safe.data).toBe(flag);
      const bare = await client.databases.ensure(body, { dryRun: flag, credentials: false });
      if ("created" in bare) expectTypeOf(bare).not.toHaveProperty("connection");
      expect("created" in bare && bare.created).toBe(false);
    },
  );
});
