import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { DatabaseNotFoundError, DeploymentNotFoundError, WaitFailedError, WaitTimeoutError } from "@mgmt/sdk";
import { thrown } from "../server.js";
import { minuteLater, setupWorld, takeTime, waitErrorOf, withStatus } from "./server.js";

const world = setupWorld();
const { mock } = world;

const startedDeployment = async (): Promise<string> => {
  const app = await mock.seed.app(world.projectId);
  const { id } = await mock.seed.deployment(app.id);
  await world.user.deployments.start(id);
  return id;
};

describe("databases.waitUntilReady", () => {
  it("returns the database once it is ready after a create", async () => {
    const { id } = await world.user.databases.create({ projectId: world.projectId });
    const statuses: string[] = [];
    const database = await world.user.databases.waitUntilReady(id, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        await mock.clock.advance(mock.settings.lifecycle.provisioning);
      },
    });
    expect(database).toMatchObject({ id, type: "database", status: "ready" });
    expect(statuses).toEqual(["provisioning", "ready"]);
  });

  it("returns it once it is ready after a restore", async () => {
    const { id: backupId } = await mock.seed.backup(world.databaseId);
    const source = { type: "backup", databaseId: world.databaseId, backupId } as const;
    const { status } = await world.user.databases.restore(world.databaseId, { source });
    const database = await world.user.databases.waitUntilReady(world.databaseId, {
      onProgress: () => mock.clock.advance(mock.settings.lifecycle.recovering),
    });
    expect([status, database.status]).toEqual(["recovering", "ready"]);
  });

  it("polls once for a database that is ready", async () => {
    await world.user.databases.waitUntilReady(world.databaseId);
    expect(world.requests()).toEqual(["databases.get 200"]);
  });

  it("throws when it has failed, and prints no password of it", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "failure");
    const error = await waitErrorOf(world.user.databases.waitUntilReady(world.databaseId));
    expect(error).toBeInstanceOf(WaitFailedError);
    expect(error).toMatchObject({
      code: "database:failed",
      lastStatus: "failure",
      message: `Database ${world.databaseId} has failed`,
    });
    const password = JSON.stringify(error.lastSeen()).match(/"pass":"(\w+)"/)?.[1] ?? "";
    expect(password).not.toBe("");
    const printed = inspect(error, { depth: 9, showHidden: true, getters: true }) + JSON.stringify(error);
    expect(printed).toContain(world.databaseId);
    expect(printed).not.toContain(password);
  });

  it("throws a timeout with the database as it was last seen", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "recovering");
    takeTime();
    const options = { timeoutMs: 60_000, onProgress: minuteLater };
    const error = await waitErrorOf(world.user.databases.waitUntilReady(world.databaseId, options));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ lastStatus: "recovering" });
    expect(error.lastSeen()).toMatchObject({ type: "database", id: world.databaseId });
  });

  it("throws a 404 when it is deleted meanwhile", async () => {
    await mock.states.setDatabaseStatus(world.databaseId, "provisioning");
    const wait = world.user.databases.waitUntilReady(world.databaseId, {
      onProgress: () => world.user.databases.delete(world.databaseId),
    });
    expect(await thrown(wait)).toBeInstanceOf(DatabaseNotFoundError);
  });

  it("waits on at a status that it does not know", async () => {
    const fetch = withStatus(mock.fetch, "/databases/", ["hibernating"]);
    const client = world.connect(await mock.tokens.user(), { fetch });
    const statuses: string[] = [];
    await client.databases.waitUntilReady(world.databaseId, {
      onProgress: ({ status }) => void statuses.push(status),
    });
    expect(statuses).toEqual(["hibernating", "ready"]);
  });
});

describe("deployments.waitUntilRunning", () => {
  it("returns the deployment once it runs", async () => {
    const id = await startedDeployment();
    const deployment = await world.user.deployments.waitUntilRunning(id, {
      onProgress: () => mock.clock.advance(mock.settings.lifecycle.deploymentStart),
    });
    expect(deployment).toMatchObject({ id, status: "running", previewDomain: expect.any(String) });
  });

  it("waits for one that is not started yet", async () => {
    const app = await mock.seed.app(world.projectId);
    const { id } = await mock.seed.deployment(app.id);
    const statuses: string[] = [];
    await world.user.deployments.waitUntilRunning(id, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        if (status === "created") await world.user.deployments.start(id);
        else await mock.clock.advance(mock.settings.lifecycle.deploymentStart);
      },
    });
    expect(statuses).toEqual(["created", "provisioning", "running"]);
  });

  it.each([
    ["failed", "deployment:failed"],
    ["stopping", "deployment:stopped"],
    ["stopped", "deployment:stopped"],
  ] as const)("throws when it is %s", async (status, code) => {
    const id = await startedDeployment();
    await mock.states.setDeploymentStatus(id, status);
    const error = await thrown(world.user.deployments.waitUntilRunning(id));
    expect(error).toBeInstanceOf(WaitFailedError);
    expect(error).toMatchObject({ code, id, lastStatus: status });
  });

  it("throws a timeout while it is provisioning", async () => {
    const id = await startedDeployment();
    takeTime();
    const options = { timeoutMs: 60_000, onProgress: minuteLater };
    const error = await thrown(world.user.deployments.waitUntilRunning(id, options));
    expect(error).toMatchObject({ code: "wait:timeout", lastStatus: "provisioning" });
  });

  it("throws a 404 when there is none", async () => {
    const error = await thrown(world.user.deployments.waitUntilRunning("dpl_unknown1"));
    expect(error).toBeInstanceOf(DeploymentNotFoundError);
  });
});

describe("deployments.waitUntilStopped", () => {
  it("returns the deployment once it has stopped", async () => {
    const id = await startedDeployment();
    await mock.clock.advance(mock.settings.lifecycle.deploymentStart);
    await world.user.deployments.stop(id);
    const statuses: string[] = [];
    const deployment = await world.user.deployments.waitUntilStopped(id, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        await mock.clock.advance(mock.settings.lifecycle.deploymentStop);
      },
    });
    expect(deployment).toMatchObject({ id, status: "stopped" });
    expect(statuses).toEqual(["stopping", "stopped"]);
  });

  it("returns one that failed or never ran, and waits for one that runs", async () => {
    const id = await startedDeployment();
    const statuses: string[] = [];
    await world.user.deployments.waitUntilStopped(id, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        await mock.states.setDeploymentStatus(id, statuses.length === 1 ? "running" : "failed");
      },
    });
    expect(statuses).toEqual(["provisioning", "running", "failed"]);
    const app = await mock.seed.app(world.projectId);
    const { id: created } = await mock.seed.deployment(app.id);
    expect(await world.user.deployments.waitUntilStopped(created)).toMatchObject({ status: "created" });
  });
});

describe("services.waitUntilPromoted", () => {
  it("returns the service once it has promoted the deployment, with or without the prefix of its id", async () => {
    const app = await mock.seed.app(world.projectId);
    const { id } = await mock.seed.deployment(app.id, { status: "running" });
    const statuses: string[] = [];
    const service = await world.user.services.waitUntilPromoted(app.id, id.replace("dpl_", ""), {
      onProgress: async ({ status }) => {
        statuses.push(status);
        if (status === "pending") await world.user.services.promote(app.id, { deploymentId: id });
      },
    });
    expect(service).toMatchObject({ id: app.id, latestDeploymentId: id });
    expect(statuses).toEqual(["pending", "promoted"]);
  });

  it("throws a timeout while the service has another deployment", async () => {
    const app = await mock.seed.app(world.projectId);
    takeTime();
    const options = { timeoutMs: 60_000, onProgress: minuteLater };
    const error = await thrown(world.user.services.waitUntilPromoted(app.id, "dpl_other", options));
    expect(error).toMatchObject({ code: "wait:timeout", resource: "service", lastStatus: "pending" });
  });
});

describe("projects.waitUntilTransferred", () => {
  it("polls as the recipient, and returns the project once the recipient can read it", async () => {
    const recipientAccessToken = await mock.tokens.otherUser();
    const statuses: string[] = [];
    const project = await world.user.projects.waitUntilTransferred(world.projectId, recipientAccessToken, {
      onProgress: async ({ status }) => {
        statuses.push(status);
        if (status === "pending")
          await world.user.projects.transfer(world.projectId, { recipientAccessToken });
      },
    });
    expect(project).toMatchObject({ id: world.projectId, type: "project" });
    expect(statuses).toEqual(["pending", "transferred"]);
  });

  it("throws at once for a token that is refused, and never shows it", async () => {
    const error = await thrown(world.user.projects.waitUntilTransferred(world.projectId, "refused-token"));
    expect(error).toMatchObject({ status: 401 });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("refused-token");
  });
});
