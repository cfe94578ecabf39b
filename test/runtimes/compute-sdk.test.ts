import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createManagementApiClient } from "@prisma/management-api-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

type Result<Value> = Promise<{ unwrap(): Value }>;

/** What the test uses of the SDK. It is installed on demand, so the compiler does not see it. */
interface ComputeSdk {
  PreBuilt: new (options: { appPath: string; entrypoint: string }) => object;
  ComputeClient: new (client: object) => {
    deploy(options: object): Result<{ appId: string; deploymentId: string; promoted: boolean }>;
    listApps(options: { projectId: string }): Result<{ id: string; name: string }[]>;
    listDeployments(options: { appId: string }): Result<{ id: string; status: string }[]>;
    destroyDeployment(options: object): Result<{ stopped: boolean; deleted: boolean }>;
    destroyApp(options: object): Result<{ appDeleted: boolean }>;
  };
}

const polling = { pollIntervalMs: 50, timeoutSeconds: 60 };

let surroundings: Surroundings;
let appPath: string;

beforeAll(async () => {
  surroundings = await startReferenceServer();
  appPath = await mkdtemp(join(tmpdir(), "mgmt-app-"));
  await writeFile(join(appPath, "index.js"), "");
});
afterAll(async () => {
  await surroundings.close();
  await rm(appPath, { recursive: true, force: true });
});

it("deploys, lists and destroys with Prisma's SDK for apps", async () => {
  const entry = new URL("node_modules/@prisma/compute-sdk/dist/index.js", import.meta.url);
  const { ComputeClient, PreBuilt } = (await import(entry.href)) as ComputeSdk;
  const { baseUrl, token } = surroundings.addresses;
  const api = createManagementApiClient({ baseUrl, token });
  const compute = new ComputeClient(api);
  const { data: created } = await api.POST("/v1/projects", { body: { name: "shop" } });
  const projectId = created?.data.id ?? "";
  const strategy = new PreBuilt({ appPath, entrypoint: "index.js" });
  const options = { strategy, projectId, portMapping: { http: 3000 }, ...polling };

  const first = (await compute.deploy({ ...options, appName: "web", region: "us-east-1" })).unwrap();
  expect(first.promoted).toBe(true);
  const { appId } = first;
  expect((await compute.listApps({ projectId })).unwrap()).toMatchObject([{ id: appId, name: "web" }]);

  const second = (await compute.deploy({ ...options, appId, destroyOldDeployment: true })).unwrap();
  expect((await compute.listDeployments({ appId })).unwrap()).toMatchObject([
    { id: second.deploymentId, status: "running" },
  ]);

  const { deploymentId } = second;
  expect((await compute.destroyDeployment({ deploymentId, ...polling })).unwrap()).toMatchObject({
    stopped: true,
    deleted: true,
  });
  expect((await compute.destroyApp({ appId, ...polling })).unwrap().appDeleted).toBe(true);
  expect((await compute.listApps({ projectId })).unwrap()).toEqual([]);
});

it("deploys and lists with Prisma's command line for apps", async () => {
  const { baseUrl, token } = surroundings.addresses;
  const api = createManagementApiClient({ baseUrl, token });
  const { data: created } = await api.POST("/v1/projects", { body: { name: "toy shop" } });
  const id = created?.data.id ?? "";
  const command = new URL("node_modules/@prisma/compute-cli/bin/compute", import.meta.url);
  const run = async (...parameters: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [fileURLToPath(command), ...parameters, "--json"],
      {
        cwd: appPath,
        env: {
          PATH: process.env["PATH"],
          HOME: appPath,
          PRISMA_MANAGEMENT_API_URL: baseUrl,
          PRISMA_API_TOKEN: token,
        },
      },
    );
    return JSON.parse(stdout);
  };
  expect(await run("projects", "list")).toMatchObject({
    ok: true,
    data: expect.arrayContaining([{ id, name: "toy shop" }]),
  });
  const app = ["--service-name", "web", "--region", "us-east-1", "--skip-build", "--entrypoint", "index.js"];
  expect(await run("deploy", "--project", id, ...app)).toMatchObject({
    ok: true,
    data: { projectId: id, appName: "web", promoted: true },
  });
  expect(await run("services", "list", "--project", id)).toMatchObject({ data: [{ name: "web" }] });
});
