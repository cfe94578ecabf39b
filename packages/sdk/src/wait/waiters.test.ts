import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { thrown } from "../../test/server.js";
import { minuteLater, setupWorld, takeTime } from "../../test/wait/server.js";

const world = setupWorld();
const { mock } = world;

describe("services.waitUntilPromoted", () => {
  it("returns the service once it has promoted the deployment, with or without the prefix of its id", async () => {
    const app = await mock.seed.app(world.projectId);
    const { id } = await mock.seed.deployment(app.id, { status: "running" });
    const statuses: string[] = [];
    const service = await world.user.services.waitUntilPromoted(app.id, id.replace("dpl_", ""), {
      onProgress: async ({ status }) => {
        statuses.push(status);
        // The waiter does not wait for this function, so the next status may be pending, too.
        if (statuses.length === 1) await world.user.services.promote(app.id, { deploymentId: id });
      },
    });
    expect(service).toMatchObject({ id: app.id, latestDeploymentId: id });
    expect([...new Set(statuses)]).toEqual(["pending", "promoted"]);
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
        if (statuses.length === 1)
          await world.user.projects.transfer(world.projectId, { recipientAccessToken });
      },
    });
    expect(project).toMatchObject({ id: world.projectId, type: "project" });
    expect([...new Set(statuses)]).toEqual(["pending", "transferred"]);
  });

  it("throws at once for a token that is refused, and never shows it", async () => {
    const error = await thrown(world.user.projects.waitUntilTransferred(world.projectId, "refused-token"));
    expect(error).toMatchObject({ status: 401 });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("refused-token");
  });
});
