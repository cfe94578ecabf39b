import { beforeEach, describe, expect, it } from "vitest";
import { Api, nobody } from "./api.js";

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
const upload = (url: string, method = "PUT") =>
  api.engine.handle({ method, path: url.replace("https://api.mgmt.test", ""), headers: {}, body: "code" });

describe("a deployment", () => {
  it("becomes uploaded by a PUT to its uploadUrl, once", async () => {
    const { id, uploadUrl } = await create();
    expect((await upload(uploadUrl ?? "")).status).toBe(200);
    expect((await get(id)).status).toBe("uploaded");
    expect((await upload(uploadUrl ?? "")).status).toBe(404);
    expect((await upload((uploadUrl ?? "").slice(0, -1))).status).toBe(404);
  });

  it("accepts no code with a wrong key, nor more than the limit", async () => {
    const { id, uploadUrl } = await create();
    const url = uploadUrl ?? "";
    expect((await upload(`${url}0`)).status).toBe(404);
    expect((await upload(`${url}/0`)).status).toBe(404);
    expect((await upload(url.replace(id, nobody("dpl_")))).status).toBe(404);
    const path = url.replace("https://api.mgmt.test", "");
    const tooLarge = await api.engine.handle({ method: "PUT", path, headers: {}, bodyTooLarge: true });
    expect(tooLarge.status).toBe(413);
    expect((await get(id)).status).toBe("created");
  });

  it("accepts no code by another method than PUT", async () => {
    const { id, uploadUrl } = await create();
    const response = await upload(uploadUrl ?? "", "POST");
    expect([response.status, response.headers["allow"]]).toEqual([405, "PUT"]);
    expect((await get(id)).status).toBe("created");
    expect((await upload(uploadUrl ?? "")).status).toBe(200);
  });

  it("accepts no code once it was started", async () => {
    const { id, uploadUrl } = await create();
    await api.ok("deployments.start", { path: { deploymentId: id } });
    expect((await upload(uploadUrl ?? "")).status).toBe(404);
    expect((await get(id)).status).toBe("provisioning");
  });
});
