import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { tools } from "./installed.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const cwd = join(inject("installed"), "next");
const example = fileURLToPath(new URL("../../examples/next-route/", import.meta.url));
const next = join(tools, "next/dist/bin/next");

let surroundings: Surroundings;
let server: ChildProcess | undefined;
let address = "";

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
  MGMT_BASE_URL: surroundings.addresses.baseUrl,
  MGMT_TOKEN: surroundings.addresses.token,
});

/** Starts the built app on a free port, and resolves with its address. */
const serve = async (): Promise<string> => {
  server = spawn(process.execPath, [next, "start", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!server.stdout) throw new Error("next has no output");
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error("next ended before it listened");
};

describe("the packed SDK in Next.js 15", () => {
  let output = "";

  beforeAll(async () => {
    surroundings = await startReferenceServer();
    await mkdir(join(cwd, "node_modules"));
    for (const name of ["next", "react", "react-dom", "typescript"])
      await symlink(join(tools, name), join(cwd, "node_modules", name));
    // Next.js requires it before it builds a route in TypeScript; the app itself has no types.
    await mkdir(join(cwd, "node_modules/@types/react"), { recursive: true });
    await writeFile(join(cwd, "node_modules/@types/react/index.d.ts"), "export {};\n");
    await writeFile(join(cwd, "node_modules/@types/react/package.json"), '{"name":"@types/react"}');
    await cp(example, join(cwd, "app/example"), { recursive: true });
    const built = await promisify(execFile)(process.execPath, [next, "build"], { cwd, env: environment() });
    output = built.stdout + built.stderr;
    address = await serve();
  }, 600_000);
  afterAll(async () => {
    if (server?.exitCode === null) {
      const ended = once(server, "exit");
      server.kill();
      await ended;
    }
    await surroundings.close();
  });

  it("is built without looking for modules of Node.js in the edge runtime", () => {
    expect(output).not.toMatch(/getBuiltinModule|Module not found/);
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
    const created = await fetch(`${address}/example`, { method: "POST", body });
    expect(created.status).toBe(201);
    const found = await fetch(`${address}/example?shop=${shop}`);
    expect(await found.json()).toMatchObject({ databases: [{ id: expect.any(String) }] });
  });
});
