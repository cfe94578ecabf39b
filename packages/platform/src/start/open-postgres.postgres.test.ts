import { spawnSync } from "node:child_process";
import { chown, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chooseEphemeralParent } from "../machine/data-dir/directories.js";
import { startPlatform } from "@mgmt/platform";
import { type SystemAccount, isRunningAsRoot } from "../machine/data-dir/postgres-account.js";
import { findPrograms, temporaryDirectory } from "../../test/cluster.js";
import { bundleProgram } from "../../test/platform-process.js";
import { WrappedPrograms, failsWithFullDisk } from "../../test/wrapped-programs.js";

let directory: string;
let programs: WrappedPrograms;

beforeEach(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  programs = await WrappedPrograms.make(directory);
  vi.stubEnv("MGMT_POSTGRES", programs.directory);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

const start = (options: { signal?: AbortSignal } = {}) =>
  startPlatform({ port: 0, dataDir: join(directory, "data"), ...options });

const isCalled = (pattern: RegExp): Promise<void> =>
  vi.waitFor(async () => expect(await readFile(programs.calls, "utf8")).toMatch(pattern));

const isComplete = async (): Promise<boolean> =>
  JSON.parse(await readFile(join(directory, "data", "platform.json"), "utf8")).postgres.complete;

describe("the first start", () => {
  it("reports a full disk, and succeeds when there is space", async () => {
    await programs.insert(failsWithFullDisk);
    await expect(start()).rejects.toMatchObject({ code: "platform:disk_full" });
    expect(await readdir(join(directory, "data"))).not.toContain("postgres");
    await programs.restore();
    const platform = await start();
    await platform.stop();
  });

  it("writes the files of the cluster to disk before it is complete", async () => {
    await programs.insert(`case "$*" in *--sync-only*) ${failsWithFullDisk};; esac`);
    await expect(start()).rejects.toMatchObject({ code: "platform:disk_full" });
    await isCalled(/initdb --sync-only/);
    expect(await isComplete()).toBe(false);
  });

  it.each([
    ["initdb", /^initdb /m],
    ["Postgres", /^postgres -D/m],
  ])("ends at once when it is aborted while %s does not respond", async (_, call) => {
    const name = call.source.includes("initdb") ? "initdb" : "postgres -D";
    await programs.insert(`case "$(basename "$0") $1" in "${name}"*) exec sleep 600;; esac`);
    const stop = new AbortController();
    const reason = new Error("stop");
    const started = start({ signal: stop.signal });
    const outcome = started.catch((error: unknown) => error);
    await isCalled(call);
    stop.abort(reason);
    expect(await outcome).toBe(reason);
    expect(await readdir(join(directory, "data"))).not.toContain("platform.lock");
    await programs.restore();
  });

  it("stops Postgres when the new cluster cannot be prepared", async () => {
    await programs.insert(
      `case "$(basename "$0") $1" in "postgres -D"*) echo "pid $$" >>'${programs.calls}'; set -- "$@" -c default_transaction_read_only=on;; esac`,
    );
    await expect(start()).rejects.toThrow("read-only");
    const [, pid] = /^pid (\d+)$/m.exec(await readFile(programs.calls, "utf8")) ?? [];
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  it("does not begin when it was aborted before", async () => {
    const reason = new Error("stop");
    await expect(start({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await readdir(directory)).not.toContain("data");
  });
});

/** Runs a bundled program under a limit of the system, and returns what it prints. */
const runLimited = async (
  limit: string,
  name = "run-platform",
  account?: SystemAccount,
): Promise<unknown> => {
  const program = await bundleProgram(directory, name);
  const options = JSON.stringify({ port: 0, dataDir: join(directory, "data") });
  const { stdout } = spawnSync(
    "bash",
    ["-c", `ulimit ${limit}; exec "$0" "$1" "$2"`, process.execPath, program, options],
    { ...account, cwd: "/", env: environmentOf(account), encoding: "utf8", timeout: 60_000 },
  );
  return JSON.parse(stdout);
};

/** Another user has no home. */
const environmentOf = (account: SystemAccount | undefined): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(account && { HOME: directory, XDG_CACHE_HOME: join(directory, "cache") }),
});

describe("a limit of the system", () => {
  it.each([
    ["-n 64", "platform:open_files_limit"],
    ["-f 2048", "platform:file_size_limit"],
    // A limit of processes does not apply to root itself, but to the account of its Postgres.
    ...(isRunningAsRoot() ? [["-u 32", "platform:process_limit"]] : []),
  ])("is reported when it is too low: ulimit %s", async (limit, code) => {
    expect(await runLimited(limit)).toMatchObject({ code });
  });
});

describe.runIf(isRunningAsRoot())("a user", () => {
  // No account has this id.
  const unknown = { uid: 54_321, gid: 54_321 };

  beforeEach(() => chown(directory, unknown.uid, unknown.gid));

  it("with too many processes gets an error that says so", async () => {
    expect(await runLimited("-u 80", "run-as-busy-user", unknown)).toMatchObject({
      code: "platform:process_limit",
      hint: expect.stringContaining("ulimit -u"),
    });
  });

  it("without an entry in /etc/passwd gets an error that says so when initdb has to run", async () => {
    vi.stubEnv("MGMT_POSTGRES", (await findPrograms()).binaries.directory);
    expect(await runLimited("-c 0", "run-platform", unknown)).toMatchObject({
      code: "platform:unsupported_system",
      message: expect.stringContaining("54321"),
    });
    expect(await readdir(join(directory, "data"))).not.toContain("postgres");
  });
});

describe("an ephemeral platform", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("ends Postgres also when its directory is gone", async () => {
    vi.stubEnv("TMPDIR", directory);
    const platform = await startPlatform({ port: 0, ephemeral: true });
    const data = dirname(platform.ready.controlSecretFile);
    const [pid] = (await readFile(join(data, "postgres", "postmaster.pid"), "utf8")).split("\n");
    // Removing it could fail while Postgres creates files.
    await rename(data, join(directory, "gone"));
    await platform.stop();
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  });

  it.each(["file", "missing"])("reports TMPDIR that is not a directory: %s", async (name) => {
    await writeFile(join(directory, "file"), "");
    vi.stubEnv("TMPDIR", join(directory, name));
    await expect(startPlatform({ port: 0, ephemeral: true })).rejects.toMatchObject({
      code: "platform:data_dir_unwritable",
      message: expect.stringContaining(join(directory, name)),
      hint: expect.stringContaining("TMPDIR"),
    });
  });
});
