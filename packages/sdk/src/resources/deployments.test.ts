import { describe, expect, it } from "vitest";
import { DeploymentNotFoundError, WaitFailedError } from "@mgmt/sdk";
import { thrown } from "../../test/server.js";
import { minuteLater, setupWorld, takeTime } from "../../test/wait/server.js";

const world = setupWorld();
const { mock } = world;

const startedDeployment = async (): Promise<string> => {
  const app = await mock.seed.app(world.projectId);
  const { id } = await mock.seed.deployment(app.id);
  await world.user.deployments.start(id);
  return id;
};

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
