import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Ready } from "@mgmt/platform";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { runInProcess } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

const root = realpathSync(temporaryFolder());
// As root, the account that runs Postgres must be able to enter it.
chmodSync(root, 0o755);
beforeAll(ensureBuilt);

/** A clone with two worktrees, and the settings of a user. */
const createClone = (): { base: string; cart: string; login: string; config: string } => {
  const base = mkdtempSync(join(root, "here-"));
  chmodSync(base, 0o755);
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...identity, "-C", join(base, "cart"), ...args], { stdio: "pipe" });
  };
  mkdirSync(join(base, "cart"));
  git("init", "--quiet", "--initial-branch", "main");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  git("worktree", "add", "--quiet", "-b", "login", "../login");
  mkdirSync(join(base, "login/src"));
  return { base, cart: join(base, "cart"), login: join(base, "login"), config: join(base, "config") };
};

interface RunningDev {
  readonly ready: Ready;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<{ status: unknown; stderr: string }>;
}

const startDev = async (cwd: string, config: string, ...flags: string[]): Promise<RunningDev> => {
  const child = spawn(process.execPath, [bin, "dev", "--here", "-o", "json", ...flags], {
    cwd,
    env: { ...process.env, MGMT_CONFIG_DIR: config },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exited = once(child, "close").then(([status, signal]) => ({ status: signal ?? status, stderr }));
  const line = await Promise.race([
    once(child.stdout, "data"),
    exited.then((end) => {
      throw new Error(JSON.stringify(end));
    }),
  ]);
  // The shape of the line is asserted for mgmt dev.
  return { ready: JSON.parse(String(line)) as Ready, kill: (signal) => child.kill(signal), exited };
};

const run = (line: string, cwd: string, config: string): Promise<Result> =>
  runInProcess([...line.split(" "), "-o", "json"], { cwd, env: { MGMT_CONFIG_DIR: config } });

const createProject = "projects create --no-create-database";

describe("mgmt dev --here", () => {
  it("runs a service in each of two worktrees at once, which commands find in their own alone", async () => {
    const { base, cart, login, config } = createClone();
    const [first, second] = await Promise.all([startDev(cart, config), startDev(join(login, "src"), config)]);
    expect(first.ready.baseUrl).not.toBe(second.ready.baseUrl);
    expect(await run(`${createProject} one`, cart, config)).toMatchObject({ status: 0, stderr: "" });
    expect(await run(`${createProject} two`, join(login, "src"), config)).toMatchObject({ status: 0 });
    for (const [folder, name, { ready }] of [
      [cart, "one", first],
      [login, "two", second],
    ] as const) {
      expect((await run("projects list", folder, config)).json).toMatchObject([{ name }]);
      expect((await run("status", folder, config)).json).toMatchObject({
        service: ready.baseUrl,
        profile: { from: join(folder, ".mgmt/dev") },
      });
      expect((await run("doctor", folder, config)).stdout).toContain(join(folder, ".mgmt/dev"));
      expect((await run("dev approvals list", folder, config)).json).toEqual([]);
      const git = execFileSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" });
      expect(git).toBe("");
    }
    expect((await run("projects list", base, config)).stderr).toContain("auth:no_token");
    const address = first.ready.baseUrl;
    const again = await run("dev --here", cart, config);
    expect(again.errors).toMatchObject([
      { error: { code: "dev:folder_in_use", message: expect.stringContaining(address) } },
    ]);
    expect((await run("dev list", base, config)).json).toMatchObject([
      { folder: cart, address, pid: first.ready.pid },
      { folder: login, address: second.ready.baseUrl, pid: second.ready.pid },
    ]);

    expect((await run("dev stop", cart, config)).json).toMatchObject([{ folder: cart }]);
    expect(await first.exited).toEqual({ status: 0, stderr: "" });
    expect((await run("projects list", cart, config)).errors).toMatchObject([
      { error: { code: "dev:not_running", message: expect.stringContaining(cart) } },
    ]);
    expect((await run("projects list", login, config)).json).toMatchObject([{ name: "two" }]);
    second.kill("SIGINT");
    expect(await second.exited).toEqual({ status: 0, stderr: "" });
  });

  it("has the same port and data after a kill, or another port if that is taken by then", async () => {
    const { cart, config } = createClone();
    const first = await startDev(cart, config);
    await run(`${createProject} one`, cart, config);
    first.kill("SIGKILL");
    await first.exited;
    expect((await run("dev list", cart, config)).json).toEqual([]);
    const second = await startDev(cart, config);
    expect(second.ready.baseUrl).toBe(first.ready.baseUrl);
    expect((await run("projects list", cart, config)).json).toMatchObject([{ name: "one" }]);
    second.kill("SIGTERM");
    expect(await second.exited).toMatchObject({ status: 0 });

    const received: unknown[] = [];
    const other = createServer(({ headers }, response) => {
      received.push(headers.authorization);
      response.end("{}");
    });
    other.listen(Number(new URL(first.ready.baseUrl).port), "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { errors } = await run("projects list", cart, config);
    expect(errors).toMatchObject([{ error: { code: "dev:not_running" } }]);
    const environment = { MGMT_CONFIG_DIR: config, MGMT_TOKEN: "secret-of-another-service" };
    const refused = await runInProcess(["projects", "list"], { cwd: cart, env: environment });
    expect(refused.stderr).toContain("auth:other_service");
    const third = await startDev(cart, config);
    expect(third.ready.baseUrl).not.toBe(first.ready.baseUrl);
    expect((await run("projects list", cart, config)).json).toMatchObject([{ name: "one" }]);
    expect(received.filter((authorization) => authorization !== undefined)).toEqual([]);
    other.closeAllConnections();
  });

  it("says that its folder is gone if it is deleted during the start", async () => {
    const { cart, config } = createClone();
    const started = startDev(cart, config);
    await vi.waitUntil(() => existsSync(join(cart, ".mgmt/dev/data-id")), { timeout: 60_000, interval: 5 });
    rmSync(cart, { recursive: true, force: true, maxRetries: 20 });
    await expect(started).rejects.toThrow("dev:folder_gone");
  });

  it("stops when its folder is moved or deleted, and goes on with the data in the new place", async () => {
    const { base, cart, config } = createClone();
    const first = await startDev(cart, config);
    await run(`${createProject} one`, cart, config);
    const moved = join(base, "moved", "a-folder-whose-path-is-longer-than-that-of-a-socket".repeat(2));
    mkdirSync(moved, { recursive: true });
    renameSync(cart, join(moved, "cart"));
    const { status, stderr } = await first.exited;
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("dev:folder_gone"),
    });
    const second = await startDev(join(moved, "cart"), config);
    expect((await run("projects list", join(moved, "cart"), config)).json).toMatchObject([{ name: "one" }]);
    rmSync(join(moved, "cart"), { recursive: true, force: true });
    expect(await second.exited).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("dev:folder_gone"),
    });
    expect(readdirSync(moved)).toEqual([]);
    expect((await run("dev list", base, config)).json).toEqual([]);
  });
});
