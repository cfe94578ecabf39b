import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createClient } from "@mgmt/sdk";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { chromiumPath } from "../browser/chromium.js";
import { startDevOf } from "../security/dev-process.js";
import { copyPackages, examples, installExample, run, runScript, start } from "./example.js";

const installed = inject("installed");
let server: RunningServer;
let env: Record<string, string>;

const controlSecret = "secret-of-the-examples";
/** Variables that a program needs for a service, and the service's control surface. */
interface Service {
  readonly env: Readonly<Record<string, string>>;
  control(method: string, path: string, body?: object): Promise<unknown>;
}
/** The mock, and the packed `mgmt dev`. */
let services: readonly Service[];
let stopDev: (() => Promise<void>) | undefined;

const serviceAt = (baseUrl: string, token: string, controlUrl: string, secret: string): Service => ({
  env: { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token },
  control: async (method, path, body) => {
    const headers = { "x-mgmt-control-secret": secret, "content-type": "application/json" };
    const response = await fetch(controlUrl + path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    expect(response.ok, await response.clone().text()).toBe(true);
    return response.json();
  },
});

const useWithServices = async (
  folder: string,
  use: (folder: string, service: Service) => Promise<void>,
): Promise<void> => {
  for (const service of services) await use(folder, service);
};

beforeAll(async () => {
  server = await createServer({
    controlSecret,
    engineOptions: { settings: { lifecycle: { provisioning: 10 } } },
  });
  const { baseUrl } = server;
  const mock = serviceAt(baseUrl, await server.engine.tokens.service(), `${baseUrl}/_control`, controlSecret);
  ({ env } = mock);
  const dev = await startDevOf([process.execPath, join(installed, "node_modules/@mgmt/cli/dist/mgmt.js")]);
  stopDev = dev.stop;
  const secret = (await readFile(dev.ready.controlSecretFile, "utf8")).trim();
  services = [mock, serviceAt(dev.ready.baseUrl, dev.ready.token, dev.ready.controlUrl, secret)];
});
afterAll(async () => {
  await stopDev?.();
  await server.close(0);
});

/** The app needs to know its port before it listens, because its URL contains it. */
const freePort = async (): Promise<number> => {
  const probe = createTcpServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  // It listens on a host.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
};

/** Makes a program believe that it is later by eight days. */
const nextWeek = "--import data:text/javascript,const{now}=Date;Date.now=()=>now()+691200000";

const useJobDatabase = async (folder: string, service: Service): Promise<void> => {
  const file = join(folder, `env-${new URL(service.env["MGMT_BASE_URL"] ?? "").port}`);
  const job = { ...service.env, CI_BRANCH: "feature/cart", ENV_FILE: file };
  const run = (command: string, more = {}) => runScript(folder, "job-database", { ...job, ...more }, command);
  expect(await run("up")).toMatch(/^db_\w+ created$/m);
  expect(await run("up")).toMatch(/^db_\w+ exists$/m);
  expect(await readFile(file, "utf8")).toMatch(/^DATABASE_URL=postgres/);
  expect(await run("down")).toMatch(/^db_\w+ deleted$/m);
  const [id = ""] = /^db_\w+/m.exec(await run("up")) ?? [];
  expect(await run("clean")).not.toContain(id);
  expect(await run("clean", { NODE_OPTIONS: nextWeek })).toContain(`${id} deleted`);
};

const useBackend = async (folder: string, { env: variables, control }: Service): Promise<void> => {
  const app = await start(join(folder, "node_modules/.bin/tsx"), ["main.ts"], {
    cwd: folder,
    env: { ...variables, PORT: String(await freePort()) },
    until: /http:\S+/,
  });
  const customer = `${app.found}/customers/acme`;
  const post = (path: string, signal: AbortSignal | null = null) =>
    fetch(customer + path, { method: "POST", signal });
  const metrics = async () => (await fetch(`${app.found}/metrics`)).text();
  try {
    const signUp = () => fetch(customer, { method: "PUT" });
    const [first, second] = [await signUp(), await signUp()];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(await metrics()).toContain('method="POST",path="/v1/projects",status="201"} 1');
    // What the backend responds with.
    const { id } = (await first.json()) as { id: string };
    expect((await post("/rotate")).status).toBe(204);

    expect((await post("/restore")).status).toBe(404);
    await control("POST", `/databases/${id}/backups`);
    const restored = await post("/restore");
    expect([restored.status, await restored.json()]).toEqual([200, { id, status: "ready" }]);

    await control("POST", "/faults", { operation: "databases.backups.list", latency: 600_000, times: 1 });
    const caller = new AbortController();
    const response = post("/restore", caller.signal);
    await expect.poll(() => control("GET", "/faults"), { timeout: 60_000 }).toEqual([]);
    caller.abort();
    await expect(response).rejects.toThrow("aborted");
    await expect
      .poll(metrics, { timeout: 60_000 })
      .toMatch(/method="GET",path="\S+\/backups",status="none"\} 1/);
  } finally {
    await app.stop();
  }
};

const githubJob = {
  GITHUB_ACTIONS: "true",
  GITHUB_REPOSITORY: "acme/shop",
  GITHUB_REF: "refs/heads/feature/cart",
};

const runDatabaseTests = async (folder: string): Promise<void> => {
  // The entry for Vitest imports the one that is beside the example.
  await copyPackages(installed, folder);
  expect(await runScript(folder, "test", { NO_COLOR: "1" })).toMatch(/Tests +20 passed \(20\)/);
};

/** Uses of each example, given the folder of its copy. */
const uses: Record<string, (folder: string, skip: (reason: string) => void) => Promise<void>> = {
  inventory: async (folder) => {
    const { id } = await server.engine.seed.project({ name: "warehouse" });
    expect(await runScript(folder, "start", env)).toContain(`warehouse  ${id}\n  warehouse  ready`);
  },
  ci: async (folder) => {
    await runScript(folder, "check");
    await writeFile(
      join(folder, "mistake.js"),
      (await readFile(join(folder, "job-database.js"), "utf8")).replace(
        '"database:not_found"',
        '"database:gone"',
      ),
    );
    await expect(runScript(folder, "check")).rejects.toThrow("database:gone");
    await useWithServices(folder, useJobDatabase);
  },
  opentelemetry: async (folder) => {
    const printed = await runScript(folder, "start", env);
    expect(printed).toContain("name: 'GET /v1/projects'");
    expect(printed).toContain("'error.type': 'project:not_found'");
  },
  testing: async (folder) => {
    expect(await runScript(folder, "test", { NO_COLOR: "1" })).toMatch(/Tests +2 passed \(2\)/);
  },
  "test-databases": runDatabaseTests,
  "test-databases-drizzle": runDatabaseTests,
  "test-databases-prisma": async (folder) => {
    // Prisma downloads its schema engine unless it has one, and generates the client without it.
    await runScript(folder, "generate", { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath });
    await runDatabaseTests(folder);
  },
  "test-databases-python": async (folder, skip) => {
    const venv = await run("python3", ["-m", "venv", ".venv"], { cwd: folder }).catch(String);
    if (venv !== "") return skip(`Python with venv is not installed: ${venv.trim()}`);
    const bin = join(folder, ".venv/bin");
    await run(join(bin, "pip"), ["install", "--quiet", "--requirement", "requirements.txt"], { cwd: folder });
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    expect(await runScript(folder, "test", env)).toMatch(/\b20 passed in/);
  },
  "vitest-browser": async (folder) => {
    await runScript(folder, "prepare");
    const own = { NO_COLOR: "1", CHROMIUM: chromiumPath() };
    expect(await runScript(folder, "test", own)).toMatch(/Tests +3 passed \(3\)/);
  },
  saas: async (folder) => {
    expect(await runScript(folder, "test", { NO_COLOR: "1" })).toMatch(/Tests +10 passed \(10\)/);
    await useWithServices(folder, useBackend);
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
    const job = { ...own, MGMT_PROJECT_ID: id, CI: "true", ...githubJob };
    const use = ["node", "-p", "new URL(process.env.DATABASE_URL).protocol"];
    expect(await runScript(folder, "with-database", job, ...use)).toContain("postgresql:");
    expect(await client.projects.databases.list(id).toArray()).toHaveLength(2);
    await runScript(folder, "delete-database", job);
    expect(await client.projects.databases.list(id).toArray()).toHaveLength(1);
  },
};

/** Examples that have a test file of their own, with the runtime that they need. */
const elsewhere = ["next-route", "storybook", "vite-login", "vite-offline", "worker"];

describe("examples", () => {
  it("are all tested with the packed packages", () => {
    const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const tested = [...Object.keys(uses), ...elsewhere].sort();
    expect(tested).toEqual(names.map(({ name }) => name).sort());
  });
});

describe.concurrent("examples", () => {
  it.for(Object.entries(uses))("run as their README says: %s", async ([name, use], { skip }) => {
    await use(await installExample(installed, name), skip);
  });
});
