import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { type MgmtClient, createClient } from "@mgmt/sdk";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../../../packages/cli/test/bin.js";
import { root } from "../../../scripts/generate/contract/contract.js";

let server: RunningServer;
let client: MgmtClient;
let token: string;
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  server = await createServer({ engineOptions: { settings: { lifecycle: { provisioning: 10 } } } });
  token = await server.engine.tokens.service();
  client = createClient({ baseUrl: server.baseUrl, token });
  folder = mkdtempSync(join(tmpdir(), "mgmt-job-database-"));
});
afterEach(() => server.engine.faults.clear());
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

interface Finished {
  readonly status: number;
  readonly log: string;
}

/** Runs the script as a CI job does. */
const job = (command: string, variables: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env["PATH"],
      MGMT_BASE_URL: server.baseUrl,
      MGMT_TOKEN: token,
      CI_BRANCH: "feature/cart",
      ENV_FILE: join(folder, "env"),
      ...variables,
    };
    const script = join(root, "examples/ci/job-database.js");
    const child = execFile(process.execPath, [script, command], { env, cwd: folder }, (_, stdout, stderr) => {
      resolve({ status: child.exitCode ?? -1, log: stdout + stderr });
    });
  });

const databases = () => client.databases.list().toArray();

it("creates the database of a branch once, and deletes it", async () => {
  expect(await job("up")).toMatchObject({ status: 0, log: expect.stringMatching(/^db_\w+ created\n$/) });
  expect(await job("up")).toMatchObject({ status: 0, log: expect.stringMatching(/^db_\w+ exists\n$/) });
  expect(await databases()).toMatchObject([{ name: "feature-cart", status: "ready" }]);
  expect(await job("down", { CI_BRANCH: "main" })).toEqual({ status: 0, log: "" });
  expect(await job("down")).toMatchObject({ status: 0, log: expect.stringMatching(/^db_\w+ deleted\n$/) });
  expect(await databases()).toEqual([]);
});

it("writes the connection string to a file that only the user of the job can read, and not to the log", async () => {
  const file = join(folder, "own");
  const { log } = await job("up", { ENV_FILE: file });
  const [, url = ""] = /^DATABASE_URL=(postgres\S+)\n$/.exec(readFileSync(file, "utf8")) ?? [];
  expect(new URL(url).password).not.toBe("");
  expect(log).not.toContain(new URL(url).password);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { log: masked } = await job("up", { GITHUB_ACTIONS: "true" });
  for (const secret of [url, new URL(url).password]) expect(masked).toContain(`::add-mask::${secret}\n`);
});

it("deletes the databases that are older than a week", async () => {
  const week = 7 * 24 * 60 * 60 * 1000;
  const past = await createServer({ engineOptions: { startAt: new Date(Date.now() - 2 * week) } });
  try {
    const its = { MGMT_BASE_URL: past.baseUrl, MGMT_TOKEN: await past.engine.tokens.service() };
    await job("up", { ...its, CI_BRANCH: "old" });
    await past.engine.clock.advance(2 * week);
    await job("up", { ...its, CI_BRANCH: "new" });
    expect((await job("clean", its)).log).toMatch(/^db_\w+ deleted\n$/);
    const left = createClient({ baseUrl: past.baseUrl, token: its.MGMT_TOKEN }).databases.list();
    expect(await left.toArray()).toMatchObject([{ name: "new" }]);
    expect(await job("clean", its)).toEqual({ status: 0, log: "" });
  } finally {
    await past.close();
  }
});

const faults: [string, Fault, number, string][] = [
  ["the service is not available", { operation: "databases.list", status: 503 }, 75, "internal:unavailable"],
  ["the connection ends", { operation: "databases.list", drop: "before" }, 75, "connection:failed"],
  ["the request is refused", { operation: "databases.list", status: 403 }, 1, "fault:403"],
];
it.each(faults)("says with its status whether it helps to run again: %s", async (_, fault, status, code) => {
  server.engine.faults.add(fault);
  expect(await job("down")).toEqual({ status, log: expect.stringContaining(code) });
});

it("explains itself if the command or the branch is missing", async () => {
  for (const finished of [await job("upp"), await job("up", { CI_BRANCH: "" })]) {
    expect(finished).toEqual({
      status: 2,
      log: "Usage: CI_BRANCH=… node job-database.js up | down | clean\n",
    });
  }
});
