import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type RunningProgram, installExample, runScript, start } from "./example.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";
import { older } from "./tools.js";

const installed = inject("installed");

interface Version {
  name: string;
  /** Its name among the tools. */
  tool: string;
  /** The file of the other version that runs before requests. */
  notIts: string;
  routes: { path: string; edge: boolean }[];
}

const versions: Version[] = [
  {
    name: "Next.js 15 (webpack)",
    tool: older("next"),
    notIts: "proxy.js",
    routes: [
      { path: "/edge", edge: true },
      { path: "/node", edge: false },
      { path: "/before", edge: true },
    ],
  },
  {
    name: "Next.js 16 (Turbopack)",
    tool: "next",
    notIts: "middleware.js",
    routes: [
      { path: "/edge", edge: true },
      { path: "/node", edge: false },
      { path: "/before", edge: false },
    ],
  },
];

describe.each(versions)("the packed SDK in $name", ({ tool, notIts, routes }) => {
  let surroundings: Surroundings;
  let server: RunningProgram | undefined;
  let address = "";
  let output = "";

  beforeAll(async () => {
    surroundings = await startReferenceServer();
    const cwd = await installExample(installed, "next-route", { next: tool });
    // Adds routes for each runtime to the example.
    await cp(join(installed, "next"), cwd, { recursive: true });
    await rm(join(cwd, notIts));
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

  it.each(routes)("lists and throws typed errors: $path", async ({ path, edge }) => {
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
