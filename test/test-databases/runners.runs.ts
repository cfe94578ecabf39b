import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
let folder = "";
let environment: NodeJS.ProcessEnv;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

interface State {
  readonly port: number;
  readonly password: string;
  readonly pid: number;
}

const readState = async (): Promise<State> => {
  const parent = join(folder, "cache/mgmt/test-databases");
  const [version = ""] = await readdir(parent);
  return JSON.parse(await readFile(join(parent, version, "server.json"), "utf8"));
};

const queryServer = async (statement: string): Promise<unknown[]> => {
  const { port, password } = await readState();
  const client = new Client({ host: "127.0.0.1", port, password, user: "postgres", database: "postgres" });
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
};

const start = (
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  options: SpawnOptions = {},
): ChildProcess =>
  spawn(process.execPath, words, {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });

const run = async (
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ status: unknown; output: string }> => {
  const child = start(words, env);
  let output = "";
  child.stdout?.on("data", (bytes: Buffer) => (output += String(bytes)));
  child.stderr?.on("data", (bytes: Buffer) => (output += String(bytes)));
  const [status] = await once(child, "close");
  return { status, output };
};

const vitest = (...words: string[]): string[] => [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  "--root",
  ".",
  ...words,
];
const playwright = [
  join(root, "node_modules/@playwright/test/cli.js"),
  "test",
  "playwright.spec.mjs",
  "--reporter=list",
  "--workers=2",
];

const readRuns = (): Promise<string> => readFile(join(folder, "runs.txt"), "utf8");

/** Waits until the server has only templates, copies that are ready, and databases that are to remain. */
const nothingIsLeft = (): Promise<void> =>
  vi.waitFor(
    async () => {
      expect(
        await queryServer(`select datname from pg_database where not datistemplate and datname not in (
          select 'postgres' union select database from mgmt_test.template union
          select name from mgmt_test.database where state in ('ready', 'retained'))`),
      ).toEqual([]);
      expect(await queryServer("select role from mgmt_test.owner")).toEqual([]);
    },
    { timeout: 60_000, interval: 200 },
  );

describe.sequential("the entries for test runners", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mgmt-test-databases-"));
    await cp(join(root, "test/test-databases/project"), folder, { recursive: true });
    await mkdir(join(folder, "node_modules/@mgmt"), { recursive: true });
    // The same file as the first one, in another worker.
    await cp(join(folder, "failing.test.mjs"), join(folder, "failing-too.test.mjs"));
    await cp(join(folder, "vitest.test.mjs"), join(folder, "other.test.mjs"));
    await symlink(join(root, "packages/platform"), join(folder, "node_modules/@mgmt/platform"));
    for (const name of ["pg", "vitest", "@playwright"])
      await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
    environment = {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_CACHE_HOME: join(folder, "cache"),
      RUNS_FILE: join(folder, "runs.txt"),
      NO_COLOR: "1",
    };
  });

  afterAll(async () => {
    const state = await readState().catch(() => undefined);
    if (state) {
      process.kill(state.pid, "SIGTERM");
      await vi.waitFor(() => expect(isRunning(state.pid)).toBe(false), { timeout: 20_000 });
    }
    await rm(folder, { recursive: true, force: true });
  });

  it("share one server and one template, also when two runners start at once", async () => {
    const files = ["vitest.test.mjs", "other.test.mjs"];
    const results = await Promise.all([
      run(vitest(...files)),
      run(["--test", "node.mjs"]),
      run(vitest(...files, "--pool", "threads")),
    ]);
    for (const { status, output } of results) expect(status, output).toBe(0);
    expect(results[0]?.output).toMatch(/Tests +44 passed/);
    expect(await readRuns()).toBe("run\n");
  });

  it.each([
    ["vmThreads", vitest("vitest.test.mjs", "other.test.mjs", "--pool", "vmThreads"), /Tests +44 passed/],
    [
      "one worker without isolation",
      vitest("vitest.test.mjs", "other.test.mjs", "--no-isolate"),
      /44 passed/,
    ],
    ["a shard", vitest("vitest.test.mjs", "other.test.mjs", "--shard", "1/2"), /Tests +22 passed/],
    ["Playwright", playwright, /1 flaky[^]*5 passed/],
    ["node:test in one process", ["node.mjs"], /pass 6[^]*skipped 1[^]*todo 1/],
  ])("run in %s with the template of an earlier run", async (_, words, counts) => {
    const { status, output } = await run(words);
    expect(status, output).toBe(0);
    expect(output).toMatch(counts);
    expect(await readRuns()).toBe("run\n");
  });

  it("run again in watch mode, with the same template", async () => {
    const child = start([...vitest("vitest.test.mjs").filter((word) => word !== "run"), "--watch"]);
    let output = "";
    child.stdout?.on("data", (bytes: Buffer) => (output += String(bytes)));
    const countRuns = (): number => output.match(/Tests +22 passed/g)?.length ?? 0;
    const isReady = (count: number): Promise<void> =>
      vi.waitFor(() => expect(countRuns(), output).toBe(count), { timeout: 30_000 });
    await isReady(1);
    await appendFile(join(folder, "vitest.test.mjs"), "// Changed\n");
    await isReady(2);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(await readRuns()).toBe("run\n");
    await nothingIsLeft();
  });

  it("make a new template when a migration changes", async () => {
    await appendFile(join(folder, "migrate.mjs"), "// New\n");
    const { status, output } = await run(["--test", "node.mjs"]);
    expect(status, output).toBe(0);
    expect(await readRuns()).toBe("run\nrun\n");
  });

  it("report a setup that fails once for all files, and keep the database of a failed test", async () => {
    const { status, output } = await run(vitest("failing.test.mjs", "failing-too.test.mjs"));
    expect(status).toBe(1);
    expect(output).toContain("it exited with status 1: echo one");
    expect(output).toContain("no table x");
    expect(output).toContain("failed before in this run");
    expect(await readFile(join(folder, "failures.txt"), "utf8")).toBe("one\n");
    const [, database = ""] =
      /remains: PGPASSFILE=\S+ psql -h 127\.0\.0\.1 -p \d+ -U \S+ (\S+)/.exec(output) ?? [];
    expect(await queryServer(`select state from mgmt_test.database where name = '${database}'`)).toEqual([
      "retained",
    ]);
    const { password } = await readState();
    expect(output).not.toContain(password);
    // Another run tries it again.
    await run(vitest("failing.test.mjs"));
    expect(await readFile(join(folder, "failures.txt"), "utf8")).toBe("one\none\n");
  });

  it("leave nothing of a process that was killed", async () => {
    const child = start(["hanging.mjs"]);
    const [bytes] = await once(child.stdout ?? child, "data");
    const name = String(bytes).trim();
    expect(await queryServer(`select datname from pg_database where datname = '${name}'`)).toEqual([name]);
    child.kill("SIGKILL");
    await nothingIsLeft();
  });

  it("leave nothing of a runner that was killed, whose workers go on", async () => {
    const child = start(vitest("hanging.test.mjs"), {}, { detached: true, stdio: "ignore" });
    const { pid = 0 } = child;
    onTestFinished(() => {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // The workers have ended.
      }
    });
    await vi.waitFor(
      async () =>
        expect(
          await queryServer("select count(*)::integer from mgmt_test.database where state = 'used'"),
        ).toEqual([2]),
      { timeout: 30_000 },
    );
    child.kill("SIGKILL");
    await nothingIsLeft();
  });

  it("start the server again when it was killed with its daemon", async () => {
    const { pid } = await readState();
    process.kill(pid, "SIGKILL");
    const { status, output } = await run(["--test", "node.mjs"]);
    expect(status, output).toBe(0);
    expect(await readRuns()).toBe("run\nrun\n");
    expect((await readState()).pid).not.toBe(pid);
  });

  it("give a command a database of its own, and drop it when the command ends or is killed", async () => {
    const mgmt = join(root, "packages/cli/dist/mgmt.js");
    const fresh = ["run", "--fresh", "--setup", "node migrate.mjs", "--setup-file", "migrate.mjs", "--"];
    const script = `
      import { addNote } from "./note.mjs";
      await addNote({ connectionString: process.env.DATABASE_URL });
      if (process.argv.join().includes(process.env.DATABASE_URL)) process.exit(9);
      process.exit(7);`;
    const words = [mgmt, ...fresh, process.execPath, "--input-type=module", "--eval", script];
    const { status, output } = await run(words);
    expect(status, output).toBe(7);
    const waiting = `process.on("SIGTERM", () => process.exit(5)); console.log("ready"); setInterval(() => {}, 1000);`;
    const child = start([mgmt, ...fresh, process.execPath, "--eval", waiting]);
    await once(child.stdout ?? child, "data");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([5, null]);
    await nothingIsLeft();
  });

  it("begin with a new cluster when the existing one cannot be opened", async () => {
    process.kill((await readState()).pid, "SIGTERM");
    await vi.waitFor(() => expect(readState()).rejects.toThrow(), { timeout: 20_000 });
    const [version = ""] = await readdir(join(folder, "cache/mgmt/test-databases"));
    await rm(join(folder, "cache/mgmt/test-databases", version, "postgres/global/pg_control"));
    const { status, output } = await run(["--test", "node.mjs"]);
    expect(status, output).toBe(0);
    expect(await readRuns()).toBe("run\nrun\nrun\n");
  });

  it("fail when the disk is full, and go on when there is space", async ({ skip }) => {
    const isolate = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"];
    const { status } = spawnSync("unshare", [...isolate, "true"]);
    if (status !== 0) skip("this account cannot mount a file system");
    const disk = join(folder, "disk");
    await mkdir(disk);
    const script = `mount -t tmpfs -o size=256m,mode=755 disk "$0" && "$@"`;
    const child = spawn("unshare", [...isolate, script, disk, process.execPath, "filling.mjs"], {
      cwd: folder,
      env: { ...environment, XDG_CACHE_HOME: disk },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("platform:disk_full after some");
    child.stdin.write("\n");
    expect((await lines.next()).value).toBe("there is space");
    await once(child, "close");
  });

  it.each([
    ["there is no Postgres", { MGMT_POSTGRES: "/nowhere" }, "no usable Postgres was found there"],
    [
      "no cache directory can be written",
      { XDG_CACHE_HOME: "/dev/null", TMPDIR: "/dev/null" },
      "No directory for test databases can be created",
    ],
  ])("say that %s", async (_, env, message) => {
    const { status, output } = await run(["node.mjs"], env);
    expect(status).toBe(1);
    expect(output).toContain(message);
  });
});
