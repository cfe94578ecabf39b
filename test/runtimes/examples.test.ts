import { readdirSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createClient } from "@mgmt/sdk";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { examples, installExample, runScript, start } from "./example.js";

const installed = inject("installed");
let server: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
  env = { MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: await server.engine.tokens.service() };
});
afterAll(() => server.close(0));

/** The app needs to know its port before it listens, because its URL contains it. */
const freePort = async (): Promise<number> => {
  const probe = createTcpServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

/** Uses of each example, given the folder of its copy. */
const uses: Record<string, (folder: string) => Promise<void>> = {
  inventory: async (folder) => {
    const { id } = await server.engine.seed.project({ name: "warehouse" });
    expect(await runScript(folder, "start", env)).toContain(`warehouse  ${id}\n  warehouse  ready`);
  },
  ci: async (folder) => {
    const { id } = await server.engine.seed.project({ name: "shop" });
    const file = join(folder, ".env.preview");
    const own = { MGMT_PROJECT_ID: id, MGMT_ENV_FILE: file, PULL_REQUEST: "12" };
    expect(await runScript(folder, "start", { ...env, ...own })).toContain(": created.\n");
    expect(await readFile(file, "utf8")).toMatch(/^DATABASE_URL=postgres/);
    await rm(file);
  },
  opentelemetry: async (folder) => {
    const printed = await runScript(folder, "start", env);
    expect(printed).toContain("name: 'GET /v1/projects'");
    expect(printed).toContain("'error.type': 'project:not_found'");
  },
  testing: async (folder) => {
    expect(await runScript(folder, "test", { NO_COLOR: "1" })).toMatch(/Tests +2 passed \(2\)/);
  },
  "express-login": async (folder) => {
    const app = await start(join(folder, "node_modules/.bin/tsx"), ["main.ts"], {
      cwd: folder,
      env: { MGMT_BASE_URL: server.baseUrl, PORT: String(await freePort()) },
      until: /http:\S+/,
    });
    try {
      expect(await (await fetch(app.found)).text()).toContain("Log in");
      const login = await fetch(`${app.found}/login`, { redirect: "manual" });
      expect(login.headers.get("location")).toContain(`${server.baseUrl}/authorize?`);
    } finally {
      await app.stop();
    }
  },
  "pull-request-database": async (folder) => {
    const client = createClient({ baseUrl: server.baseUrl, token: env["MGMT_TOKEN"] ?? false });
    const { id } = await server.engine.seed.project({ name: "shop" });
    const own = { ...env, MGMT_CONFIG_DIR: join(folder, "config") };
    const printed = await runScript(folder, "create-database", own, id, "feature/cart");
    expect(printed).toContain("postgresql://");
    expect(await client.projects.databases.list(id).toArray()).toHaveLength(2);
    await runScript(folder, "delete-database", own, id, "feature/cart");
    expect(await client.projects.databases.list(id).toArray()).toHaveLength(1);
  },
};

/** Examples that have a test file of their own, with the runtime that they need. */
const elsewhere = ["next-route", "vite-login", "worker"];

describe("examples", () => {
  it("are all tested with the packed packages", () => {
    const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const tested = [...Object.keys(uses), ...elsewhere].sort();
    expect(tested).toEqual(names.map(({ name }) => name).sort());
  });
});

describe.concurrent("examples", () => {
  it.each(Object.entries(uses))("run as their README says: %s", async (name, use) => {
    await use(await installExample(installed, name));
  });
});
