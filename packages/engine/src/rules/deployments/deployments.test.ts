import { beforeEach, describe, expect, it } from "vitest";
import { deploymentStatuses } from "../../http/control/statuses.js";
import type { DeploymentStatus } from "../../generated/schemas.js";
import { Api, nobody, unseenResponses } from "../../../test/rules/api.js";

let api: Api;
let serviceId: string;
beforeEach(async () => {
  api = await Api.open();
  const { project } = await api.project();
  ({ id: serviceId } = await api.engine.seed.app(project.id));
});

const create = async (body?: unknown) =>
  (await api.ok("services.deployments.create", { path: { serviceId }, body })).data;
const get = async (deploymentId: string) =>
  (await api.ok("deployments.get", { path: { deploymentId } })).data;
const inState = async (status: DeploymentStatus) =>
  (await api.engine.seed.deployment(serviceId, { status })).id;
describe("services.deployments.create", () => {
  it("returns the new deployment and its upload URL", async () => {
    const created = await create({ portMapping: { http: 8080 } });
    expect(created).toEqual({
      id: created.id,
      type: "deployment",
      url: `https://api.mgmt.test/v1/deployments/${created.id}`,
      foundryVersionId: created.foundryVersionId,
      uploadUrl: created.uploadUrl,
    });
    expect(await get(created.id)).toMatchObject({
      serviceId,
      status: "created",
      previewDomain: null,
      portMapping: { http: 8080 },
    });
  });

  it("accepts an absent body, and a null port for none", async () => {
    expect(await get((await create()).id)).not.toHaveProperty("portMapping");
    expect(await get((await create({ portMapping: { http: null } })).id)).toMatchObject({ portMapping: {} });
  });

  it("deploys the code of the promoted one again with skipCodeUpload", async () => {
    const { id: promoted } = await create({ portMapping: { http: 8080 } });
    await api.ok("deployments.start", { path: { deploymentId: promoted } });
    await api.later();
    await api.ok("services.promote", { path: { serviceId }, body: { deploymentId: promoted } });
    const created = await create({ skipCodeUpload: true });
    expect(created.uploadUrl).toBeNull();
    expect(await get(created.id)).toMatchObject({ status: "uploaded", portMapping: { http: 8080 } });
  });

  it("takes the environment variables of the promoted one over, which only the control surface sets", async () => {
    const envVars = { PORT: "80", A: "1", LOG_LEVEL: "debug" };
    const { id } = await api.engine.seed.deployment(serviceId, { status: "running", envVars });
    expect(JSON.stringify((await get(id)).envVars)).toBe('{"A":"1","LOG_LEVEL":"debug","PORT":"80"}');
    await api.ok("services.promote", { path: { serviceId }, body: { deploymentId: id } });
    expect(await get((await create({ skipCodeUpload: true })).id)).toMatchObject({ envVars });
    expect(await get((await create()).id)).not.toHaveProperty("envVars");
    await api.engine.states.setDeploymentVariables(id, { PORT: "81" });
    expect((await get(id)).envVars).toEqual({ PORT: "81" });
  });

  it("rejects skipCodeUpload without a promoted deployment with 422", async () => {
    await inState("running");
    const asked = { path: { serviceId }, body: { skipCodeUpload: true } };
    expect(await api.issues("services.deployments.create", asked)).toEqual(["/skipCodeUpload"]);
  });

  it.each([
    ["a port of 0", { portMapping: { http: 0 } }, "/portMapping/http"],
    ["a port of 65536", { portMapping: { http: 65_536 } }, "/portMapping/http"],
    ["a port that is text", { portMapping: { http: "80" } }, "/portMapping/http"],
    ["an unknown port", { portMapping: { tcp: 80 } }, "/portMapping/tcp"],
    ["a null portMapping", { portMapping: null }, "/portMapping"],
    ["skipCodeUpload as text", { skipCodeUpload: "yes" }, "/skipCodeUpload"],
    ["an unknown field", { image: "x" }, "/image"],
  ])("rejects %s with 422", async (_, body, path) => {
    expect(await api.issues("services.deployments.create", { path: { serviceId }, body })).toEqual([path]);
  });
});

describe("services.deployments.list", () => {
  it("lists the service's deployments, oldest first, page by page", async () => {
    const { project } = await api.project();
    await api.engine.seed.deployment((await api.engine.seed.app(project.id)).id);
    const ids = [(await create()).id, (await create()).id];
    const path = { serviceId };
    const { data, pagination } = await api.ok("services.deployments.list", { path, query: { limit: 1 } });
    expect(data[0]).toMatchObject({ id: ids[0], type: "deployment", serviceId });
    expect(data[0]).not.toHaveProperty("status");
    const next = await api.ok("services.deployments.list", {
      path,
      query: { cursor: pagination.nextCursor ?? "" },
    });
    expect(next.data.map(({ id }) => id)).toEqual([ids[1]]);
  });

  it("rejects a malformed service, limit and cursor with 422", async () => {
    const ask = (path: Record<string, string>, query: string) =>
      api.issues("services.deployments.list", { path, query });
    expect(await ask({ serviceId: "NO" }, "limit=0")).toEqual(["path/serviceId", "query/limit"]);
    expect(await ask({ serviceId }, "cursor=x")).toEqual(["query/cursor"]);
  });
});

describe("apps.deployments.list and create", () => {
  it("return the same deployments as the routes of services", async () => {
    const path = { appId: serviceId };
    const { data: created } = await api.ok("apps.deployments.create", {
      path,
      body: { portMapping: { http: 8080 } },
    });
    expect(await get(created.id)).toMatchObject({
      serviceId,
      status: "created",
      portMapping: { http: 8080 },
    });
    const { id } = await create();
    const first = await api.ok("apps.deployments.list", { path, query: { limit: 1 } });
    const second = await api.ok("apps.deployments.list", {
      path,
      query: { cursor: first.pagination.nextCursor ?? "" },
    });
    expect([...first.data, ...second.data].map((deployment) => deployment.id)).toEqual([created.id, id]);
  });

  it("refuse the cursor of the services route", async () => {
    await create();
    await create();
    const { pagination } = await api.ok("services.deployments.list", {
      path: { serviceId },
      query: { limit: 1 },
    });
    const query = { cursor: pagination.nextCursor ?? "" };
    expect(await api.issues("apps.deployments.list", { path: { appId: serviceId }, query })).toEqual([
      "query/cursor",
    ]);
  });

  it("refuse skipCodeUpload without a promoted deployment, and a malformed app", async () => {
    const body = { skipCodeUpload: true };
    expect(await api.issues("apps.deployments.create", { path: { appId: serviceId }, body })).toEqual([
      "/skipCodeUpload",
    ]);
    expect(await api.issues("apps.deployments.create", { path: { appId: "NO" } })).toEqual(["path/appId"]);
    expect(await api.issues("apps.deployments.list", { path: { appId: "NO" }, query: "limit=0" })).toEqual([
      "path/appId",
      "query/limit",
    ]);
  });

  it.each(["apps.deployments.list", "apps.deployments.create"] as const)(
    "refuse an app that does not exist or is in another workspace in %s",
    async (id) => {
      const refused = (appId: string, as: "user" | "stranger") => api.refused(id, { path: { appId }, as });
      expect(await refused(nobody("cps_"), "user")).toEqual({ status: 404, code: "app:not_found" });
      expect(await refused(serviceId, "stranger")).toEqual({ status: 403, code: "auth:forbidden" });
    },
  );
});

describe("starting and stopping", () => {
  it("changes from provisioning to running, and returns its previewDomain", async () => {
    const deploymentId = (await create()).id;
    const { data } = await api.ok("deployments.start", { path: { deploymentId } });
    expect(await get(deploymentId)).toMatchObject({
      status: "provisioning",
      previewDomain: data.previewDomain,
    });
    await api.later();
    expect(await get(deploymentId)).toMatchObject({ status: "running", previewDomain: data.previewDomain });
  });

  it("changes from stopping to stopped, and starts again", async () => {
    const path = { deploymentId: await inState("running") };
    await api.ok("deployments.stop", { path });
    expect((await get(path.deploymentId)).status).toBe("stopping");
    await api.later();
    expect((await get(path.deploymentId)).status).toBe("stopped");
    await api.ok("deployments.start", { path });
    await api.later();
    expect((await get(path.deploymentId)).status).toBe("running");
  });

  it("takes its full time again when it is started again", async () => {
    const path = { deploymentId: (await create()).id };
    await api.ok("deployments.start", { path });
    await api.ok("deployments.stop", { path });
    await api.later(500);
    await api.ok("deployments.start", { path });
    await api.later(999);
    expect((await get(path.deploymentId)).status).toBe("provisioning");
    await api.later(1);
    expect((await get(path.deploymentId)).status).toBe("running");
  });

  it("cancels a start that is stopped", async () => {
    const path = { deploymentId: (await create()).id };
    await api.ok("deployments.start", { path });
    await api.ok("deployments.stop", { path });
    await api.later();
    expect((await get(path.deploymentId)).status).toBe("stopped");
  });

  it("does not restart what the control surface has set to failed", async () => {
    const path = { deploymentId: (await create()).id };
    await api.ok("deployments.start", { path });
    await api.engine.states.setDeploymentStatus(path.deploymentId, "failed");
    await api.later();
    expect((await get(path.deploymentId)).status).toBe("failed");
  });
});

describe("the state of a deployment", () => {
  const allowed = {
    start: ["created", "uploaded", "failed", "stopped"],
    stop: ["provisioning", "running"],
    delete: ["created", "uploaded", "failed", "stopped"],
  } as const satisfies Record<string, readonly DeploymentStatus[]>;
  const rejections = { start: "not_startable", stop: "not_stoppable", delete: "not_deletable" } as const;

  for (const action of ["start", "stop", "delete"] as const) {
    for (const status of deploymentStatuses) {
      const may = allowed[action].some((other) => other === status);
      it(`${status} ${may ? "allows" : "forbids"} ${action}`, async () => {
        const path = { deploymentId: await inState(status) };
        if (may) await api.ok(`deployments.${action}`, { path });
        else {
          expect(await api.refused(`deployments.${action}`, { path })).toEqual({
            status: 409,
            code: `deployment:${rejections[action]}`,
          });
        }
      });
    }
  }
});

describe("deployments.delete", () => {
  it("leaves another deployment promoted, and its domains", async () => {
    const promoted = await inState("running");
    await api.ok("services.promote", { path: { serviceId }, body: { deploymentId: promoted } });
    await api.engine.states.attachDomain(serviceId, "shop.example.com");
    await api.ok("deployments.delete", { path: { deploymentId: await inState("stopped") } });
    expect((await api.store()).apps.get(serviceId)).toMatchObject({
      latestDeploymentId: promoted,
      domains: [{ deploymentId: promoted }],
    });
  });

  it("leaves the service without a promoted deployment, and its domains for the next one", async () => {
    const deploymentId = await inState("running");
    await api.ok("services.promote", { path: { serviceId }, body: { deploymentId } });
    await api.engine.states.attachDomain(serviceId, "shop.example.com");
    await api.ok("deployments.stop", { path: { deploymentId } });
    await api.later();
    await api.ok("deployments.delete", { path: { deploymentId } });
    const { data } = await api.ok("services.get", { path: { serviceId } });
    expect(data.latestDeploymentId).toBeNull();
    const next = await inState("running");
    const promotion = await api.ok("services.promote", { path: { serviceId }, body: { deploymentId: next } });
    expect(promotion.data.reassignedDomains).toBe(0);
    expect((await api.store()).apps.get(serviceId)?.domains).toEqual([
      { name: "shop.example.com", deploymentId: next },
    ]);
  });
});

describe("an id", () => {
  const operations = [
    "deployments.get",
    "deployments.delete",
    "deployments.start",
    "deployments.stop",
  ] as const;

  it.each(operations)("causes a 404 in %s when it is malformed or does not exist", async (id) => {
    const gone = await inState("stopped");
    await api.ok("deployments.delete", { path: { deploymentId: gone } });
    for (const deploymentId of [gone, nobody("dpl_"), "NO", "__proto__"]) {
      expect(await api.refused(id, { path: { deploymentId } })).toEqual({
        status: 404,
        code: "deployment:not_found",
      });
    }
  });

  it.each(operations)("causes a 403 in %s when it is in another workspace", async (id) => {
    const deploymentId = await inState("running");
    expect(await api.refused(id, { path: { deploymentId }, as: "stranger" })).toEqual({
      status: 403,
      code: "auth:forbidden",
    });
  });

  it.each(["services.deployments.list", "services.deployments.create"] as const)(
    "causes a 404 for an unknown service in %s, and a 403 for one in another workspace",
    async (id) => {
      expect(await api.refused(id, { path: { serviceId: nobody("cps_") } })).toEqual({
        status: 404,
        code: "app:not_found",
      });
      expect(await api.refused(id, { path: { serviceId }, as: "stranger" })).toEqual({
        status: 403,
        code: "auth:forbidden",
      });
    },
  );
});

it("returns every response that the contract lists for deployments", () => {
  expect(
    unseenResponses(
      "apps.deployments.list",
      "apps.deployments.create",
      "services.deployments.list",
      "services.deployments.create",
      "deployments.get",
      "deployments.delete",
      "deployments.start",
      "deployments.stop",
    ),
  ).toEqual([]);
});
