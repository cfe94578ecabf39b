import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type RunningProgram, installExample, runScript, start } from "./example.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const installed = inject("installed");

let surroundings: Surroundings;
let server: RunningProgram | undefined;
let address = "";

describe("the packed SDK in Next.js 15", () => {
  let output = "";

  beforeAll(async () => {
    surroundings = await startReferenceServer();
    const cwd = await installExample(installed, "next-route");
    // Adds routes for each runtime to the example.
    await cp(join(installed, "next"), cwd, { recursive: true });
    const env = {
      NEXT_TELEMETRY_DISABLED: "1",
      MGMT_BASE_URL: surroundings.addresses.baseUrl,
      MGMT_TOKEN: surroundings.addresses.token,
    };
    output = await runScript(cwd, "build", env);
    const words = ["start", "--port", "0", "--hostname", "127.0.0.1"];
    const until = /http:\/\/127\.0\.0\.1:\d+/;
    server = await start(join(cwd, "node_modules/.bin/next"), words, { cwd, env, until });
    address = server.found;
  }, 600_000);
  afterAll(async () => {
    await server?.stop();
    await surroundings.close();
  });

  it("is built without a warning about modules or versions of Node.js in the edge runtime", () => {
    expect(output).not.toMatch(
      /not supported in the Edge Runtime|process\.versions|getBuiltinModule|Module not found/,
    );
  });

  it.each([
    { path: "/edge", edge: true },
    { path: "/node", edge: false },
    { path: "/middleware", edge: true },
  ])("lists and throws typed errors: $path", async ({ path, edge }) => {
    const response = await fetch(address + path);
    expect(await response.json()).toEqual({ edge, projects: expect.any(Number), code: "project:not_found" });
  });

  it("runs the example of a route", async () => {
    const shop = "a-shop";
    const body = JSON.stringify({ shop });
    const created = await fetch(`${address}/api/shops`, { method: "POST", body });
    expect(created.status).toBe(201);
    const found = await fetch(`${address}/api/shops?shop=${shop}`);
    expect(await found.json()).toMatchObject({ databases: [{ id: expect.any(String) }] });
  });
});
