import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../../scripts/generate/contract/contract.js";

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

it("prints every project with its databases (inventory)", async () => {
  const project = await server.engine.seed.project({ name: "warehouse", region: "eu-west-3" });
  const printed = await example("tsx", "inventory/inventory.ts");
  expect(printed).toContain(`warehouse  ${project.id}\n  warehouse  ready  eu-west-3\n`);
});
