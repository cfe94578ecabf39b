import { beforeEach, describe, expect, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";

let server: MemoryServer;
let databaseId: string;
let deploymentId: string;
let appId: string;
beforeEach(async () => {
  server = new MemoryServer({ deterministic: "states" });
  const headers = { authorization: `Bearer ${await server.tokens.user()}` };
  await server.handle({ method: "POST", path: "/v1/projects", headers });
  const [database] = server.rows.databases.list({});
  databaseId = database?.id ?? "";
  appId = (await server.seed.app(database?.projectId ?? "")).id;
  deploymentId = (await server.seed.deployment(appId)).id;
});

const short = (id: string): string => id.replace(/^[a-z]+_/, "");
const databaseStatus = () => server.rows.databases.get(databaseId)?.status;
const muchLater = () => server.clock.advance(1_000_000);

describe("the status of a database", () => {
  it.each(["provisioning", "recovering", "failure"] as const)("stays %s once it is set", async (status) => {
    const { connections, ...database } = await server.states.setDatabaseStatus(short(databaseId), status);
    expect(database).toMatchObject({ id: databaseId, status });
    expect(JSON.stringify(connections)).not.toContain(server.rows.connections.list({})[0]?.pass);
    await muchLater();
    expect(databaseStatus()).toBe(status);
  });

  it("is ready at once, and the database is made, also after it was set to failure", async () => {
    await server.states.setDatabaseStatus(databaseId, "failure");
    expect((await server.states.setDatabaseStatus(databaseId, "ready")).status).toBe("ready");
    expect(server.rows.databases.get(databaseId)?.made).toBe(true);
  });
});

describe("the status of a deployment", () => {
  const start = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${await server.tokens.user()}` };
    await server.handle({ method: "POST", path: `/v1/deployments/${deploymentId}/start`, headers });
  };

  it.each(["stopped", "failed"] as const)("ends an earlier start when it is set to %s", async (status) => {
    const startMs = server.settings.lifecycle.deploymentStart;
    await start();
    await server.clock.advance(startMs - 1);
    await server.states.setDeploymentStatus(deploymentId, status);
    await start();
    await server.clock.advance(startMs - 1);
    expect(server.rows.deployments.get(deploymentId)?.status).toBe("provisioning");
    await server.clock.advance(1);
    expect(server.rows.deployments.get(deploymentId)?.status).toBe("running");
  });

  it.each(["running", "provisioning", "stopped", "stopping", "failed", "created", "uploaded"] as const)(
    "stays %s once it is set, whatever was under way",
    async (status) => {
      await start();
      expect(await server.states.setDeploymentStatus(short(deploymentId), status)).toMatchObject({ status });
      await muchLater();
      expect(server.rows.deployments.get(deploymentId)?.status).toBe(status);
    },
  );

  it("is not that of its variables, which are replaced", async () => {
    for (const variables of [{ A: "1", B: "2" }, { B: "3" }]) {
      await server.states.setDeploymentVariables(deploymentId, variables);
      expect(server.rows.deployments.get(deploymentId)).toMatchObject({
        envVars: variables,
        status: "created",
      });
    }
    expect(server.rows.deployments.get(deploymentId)?.envVars).toEqual({ B: "3" });
  });
});

describe("a backup", () => {
  it.each([
    [undefined, "full"],
    ["incremental", "incremental"],
  ] as const)("is made at once, of the type %s", async (backupType, expected) => {
    await server.states.setDatabaseStatus(databaseId, "ready");
    const backup = await server.states.backUp(short(databaseId), backupType);
    expect(backup).toMatchObject({ backupType: expected, status: "completed" });
    expect((await server.states.setBackupStatus(short(backup.id), "failed")).status).toBe("failed");
  });

  it("is made of a database that is ready only", async () => {
    await expect(server.states.backUp(databaseId)).rejects.toMatchObject({
      status: 409,
      message: "The database is provisioning; only a ready one can be backed up",
    });
    expect(server.rows.backups.size).toBe(0);
  });
});

describe("a domain", () => {
  it("serves the promoted deployment, and belongs to one app", async () => {
    const attached = await server.states.attachDomain(short(appId), "shop.example.com");
    expect(attached.id).toBe(appId);
    expect(server.rows.apps.get(appId)?.domains).toEqual([{ name: "shop.example.com", deploymentId: null }]);
    const other = await server.seed.app(server.rows.apps.get(appId)?.projectId ?? "");
    for (const id of [appId, other.id])
      await expect(server.states.attachDomain(id, "shop.example.com")).rejects.toMatchObject({ status: 409 });
  });

  it.each([
    "",
    "shop",
    "Shop.example.com",
    "https://shop.example.com",
    "shop.example.com:80",
    "a..b",
    `${"a".repeat(250)}.com`,
  ])("must not be %j", async (name) => {
    await expect(server.states.attachDomain(appId, name)).rejects.toMatchObject({ status: 400 });
    expect(server.rows.apps.get(appId)?.domains).toEqual([]);
  });
});

it.each<[string, () => Promise<unknown>]>([
  ["database", () => server.states.setDatabaseStatus("db_none", "ready")],
  ["deployment", () => server.states.setDeploymentStatus("dpl_none", "running")],
  ["deployment", () => server.states.setDeploymentVariables("dpl_none", {})],
  ["backup", () => server.states.setBackupStatus("bkp_none", "failed")],
  ["database", () => server.states.backUp("db_none")],
  ["app", () => server.states.attachDomain("cps_none", "shop.example.com")],
])("a %s that does not exist is reported", async (kind, act) => {
  await expect(act()).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining(`The ${kind} `),
  });
});
