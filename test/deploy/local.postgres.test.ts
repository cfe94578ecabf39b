import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { root } from "../../scripts/generate/contract/contract.js";

interface LocalService {
  baseUrl: string;
  config: string;
  tokenFile: string;
  servers: { address: string; pid: number }[];
}

/** Runs deploy/local until the end of the test. */
const start = async (): Promise<{
  service: LocalService;
  stop: (signal?: NodeJS.Signals) => Promise<unknown>;
}> => {
  const line = ["--import", "tsx", "deploy/local/index.ts", "--port", "0"];
  const child = spawn(process.execPath, line, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit").then(([status]) => status as unknown);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const output = once(child.stdout.setEncoding("utf8"), "data").then(([text]) => String(text));
  const answer = await Promise.race([
    output,
    ended.then((status) => Promise.reject(new Error(String(status)))),
  ]);
  const stop = (signal: NodeJS.Signals = "SIGTERM"): Promise<unknown> => {
    child.kill(signal);
    return ended;
  };
  return { service: JSON.parse(answer) as LocalService, stop };
};

const hasEnded = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 20_000);

/** Until it has ended, a process can accept a connection and not answer. */
const kill = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGKILL");
  await hasEnded(pid);
};

beforeAll(() => ensureBuilt());

it("the local service answers through its proxy, also after one of its servers was killed, and leaves nothing", async () => {
  const { service, stop } = await start();
  const token = readFileSync(service.tokenFile, "utf8");
  const call = async (
    address: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(address + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json: unknown = await response.json();
    return { status: response.status, json };
  };
  const [first, second] = service.servers;
  if (first === undefined || second === undefined) throw new Error("There are not two servers");
  const create = (name: string): Promise<unknown> =>
    call(service.baseUrl, "/v1/projects", { name, createDatabase: false });
  for (const name of ["one", "two"]) expect(await create(name)).toMatchObject({ status: 201 });
  const lists = await Promise.all([first, second].map(({ address }) => call(address, "/v1/projects")));
  expect(lists[0]).toMatchObject({ status: 200, json: { data: [{}, {}] } });
  expect(lists[1]).toEqual(lists[0]);
  await kill(first.pid);
  for (const name of ["three", "four"]) expect(await create(name)).toMatchObject({ status: 201 });
  await kill(second.pid);
  const unreachable = await fetch(`${service.baseUrl}/v1/projects`, { headers: { connection: "close" } });
  expect(unreachable.status).toBe(503);
  expect(await stop()).toBe(0);
  expect(existsSync(dirname(service.config))).toBe(false);
});

it("the local service leaves nothing when its script is killed", async () => {
  const { service, stop } = await start();
  await stop("SIGKILL");
  await Promise.all(service.servers.map(({ pid }) => hasEnded(pid)));
  await vi.waitFor(() => expect(existsSync(dirname(service.config))).toBe(false), 20_000);
});
