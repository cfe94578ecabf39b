import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { bundle } from "./bundle.js";
import { environment, installExample, runScript } from "./example.js";
import { tools } from "./tools.js";
import { type Surroundings, startReferenceServer } from "./reference-server.js";

const installed = inject("installed");
let surroundings: Surroundings;
let folder: string;
let workerd: ChildProcess | undefined;

beforeAll(async () => {
  surroundings = await startReferenceServer();
  folder = await mkdtemp(join(tmpdir(), "mgmt-worker-"));
});
afterEach(async () => {
  if (workerd?.exitCode === null) {
    const ended = once(workerd, "exit");
    workerd.kill();
    await ended;
  }
});
afterAll(async () => {
  await surroundings.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts workerd on a free port, and resolves with the port. */
const serve = async (cwd: string, env: NodeJS.ProcessEnv = {}): Promise<number> => {
  const program = join(tools, "@cloudflare/workerd-linux-64/bin/workerd");
  const words = ["serve", "--control-fd=3", "--socket-addr=http=127.0.0.1:0", "worker.capnp"];
  workerd = spawn(program, words, {
    cwd,
    env: { ...environment, ...env },
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const control = workerd.stdio[3];
  if (!(control instanceof Readable)) throw new Error("workerd has no control channel");
  for await (const line of createInterface({ input: control })) {
    const { event, port }: { event: string; port?: number } = JSON.parse(line);
    if (event === "listen" && port !== undefined) return port;
  }
  throw new Error("workerd ended before it listened");
};

it("lists, creates, throws, aborts, enforces deadlines and logs in with the packed SDK as an ES module worker on workerd", async () => {
  const conditions = ["workerd", "worker", "browser"];
  const { code, imports } = await bundle(installed, 'export { default } from "./worker.mjs";', conditions);
  expect(imports).toEqual([]);
  await writeFile(join(folder, "worker.bundle.mjs"), code);
  await cp(join(installed, "worker.capnp"), join(folder, "worker.capnp"));
  const port = await serve(folder);
  const answer = await fetch(`http://127.0.0.1:${String(port)}/`, {
    method: "POST",
    body: JSON.stringify(surroundings.addresses),
  });
  expect(await answer.text()).toBe("all is so");
});

it("creates, lists, waits, and throws with the packed mock inside workerd", async () => {
  const program = `
    import { useMock } from "./mock.mjs";
    const respond = () => useMock().then((said) => new Response(said), (error) => new Response(error.stack));
    export default { fetch: respond };
  `;
  const { code, imports } = await bundle(installed, program, ["workerd", "worker", "browser"]);
  expect(imports).toEqual([]);
  await writeFile(join(folder, "worker.bundle.mjs"), code);
  await cp(join(installed, "worker.capnp"), join(folder, "worker.capnp"));
  const port = await serve(folder);
  expect(await (await fetch(`http://127.0.0.1:${String(port)}/`)).text()).toBe("all is so");
});

it("runs the example of a worker, built by its script, with the variables as bindings", async () => {
  const cwd = await installExample(installed, "worker");
  await runScript(cwd, "build");
  const { baseUrl, token } = surroundings.addresses;
  const port = await serve(cwd, { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token });
  const response = await fetch(`http://127.0.0.1:${String(port)}/projects`);
  expect([response.status, await response.json()]).toEqual([
    200,
    { projects: expect.any(Array), cursor: null },
  ]);
});
