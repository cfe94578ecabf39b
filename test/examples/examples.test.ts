import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { createClient } from "@mgmt/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";

const run = promisify(execFile);
let server: RunningServer;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
  environment = {
    ...process.env,
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
    MGMT_BASE_URL: server.baseUrl,
    MGMT_TOKEN: await server.engine.tokens.service(),
  };
});
afterAll(() => server.close());

const example = async (command: string, ...parameters: string[]): Promise<string> => {
  const { stdout } = await run(command, parameters, { cwd: join(root, "examples"), env: environment });
  return stdout;
};

it("creates a copy of the default database for a branch and deletes it again (pull-request-database)", async () => {
  const client = createClient({ baseUrl: server.baseUrl, token: await server.engine.tokens.user() });
  const project = await server.engine.seed.project({ name: "shop" });

  const printed = await example("./pull-request-database/create.sh", project.id, "feature/cart");
  const [, copy] = await client.projects.databases.list(project.id).toArray();
  expect(copy).toMatchObject({
    name: "feature/cart",
    source: { type: "database", databaseId: project.database?.id },
  });
  const passwords = (copy?.connections ?? []).map(({ directConnection }) => directConnection?.pass ?? "");
  expect(passwords.filter((password) => printed.includes(password))).toHaveLength(1);

  await example("./pull-request-database/delete.sh", project.id, "feature/cart");
  const left = await client.projects.databases.list(project.id).toArray();
  expect(left.map(({ id }) => id)).toEqual([project.database?.id]);
  const branches = await client.projects.branches.list(project.id).toArray();
  expect(branches.map(({ gitName }) => gitName)).toEqual(["main"]);
});

it("fails for a project that does not exist, without a connection string (pull-request-database)", async () => {
  const failed = example("./pull-request-database/create.sh", "proj_gone", "feature/cart");
  await expect(failed).rejects.toMatchObject({ code: expect.any(Number), stdout: "" });
});

it("prints every project with its databases (inventory)", async () => {
  const project = await server.engine.seed.project({ name: "warehouse", region: "eu-west-3" });
  const printed = await example("tsx", "inventory/inventory.ts");
  expect(printed).toContain(`warehouse  ${project.id}\n  warehouse  ready  eu-west-3\n`);
});
