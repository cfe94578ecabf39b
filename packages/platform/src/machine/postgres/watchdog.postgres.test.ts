import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { isRunningAsRoot } from "../data-dir/postgres-account.js";
import { call, makeProject, query, finalStatus } from "../../../test/api.js";
import { findPrograms } from "../../../test/cluster.js";
import { Platforms } from "../../../test/platform-process.js";
import { commandLine, killAll, running, signal, signalAll } from "../../../test/processes.js";

const platforms = new Platforms();

const nothingLeft = (pids: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(running(pids)).toEqual([]));

const disappears = (path: string): Promise<void> =>
  vi.waitFor(async () => expect(await exists(path)).toBe(false));

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

describe.concurrent("SIGINT and SIGTERM", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "stop everything cleanly and exit with status 0: %s",
    async (signal) => {
      const platform = await platforms.start({ ephemeral: true });
      await makeProject(platform.ready);
      const pids = platform.descendants();
      expect(pids.length).toBeGreaterThan(3);
      expect(await platform.end(signal)).toBe(0);
      expect(running(pids)).toEqual([]);
      expect(await exists(dirname(platform.ready.controlSecretFile))).toBe(false);
    },
  );
});

describe.concurrent("SIGKILL", () => {
  it("leaves no process and no file of an ephemeral platform", async () => {
    const platform = await platforms.start({ ephemeral: true });
    const { database } = await makeProject(platform.ready);
    await query(database.connectionString, "create table notes (id int)");
    const pids = platform.descendants();
    await platform.end("SIGKILL");
    await nothingLeft(pids);
    await disappears(dirname(platform.ready.controlSecretFile));
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  it("leaves no process of a persistent platform, and the next run has everything that was acknowledged", async () => {
    const dataDir = join(platforms.directory, "kept");
    const first = await platforms.start({ dataDir });
    const { id, database } = await makeProject(first.ready);
    await query(database.connectionString, "create table notes as select 'written' as text");
    const pids = first.descendants();
    await first.end("SIGKILL");
    await nothingLeft(pids);
    // Postgres wrote this after the platform was killed.
    expect(readFileSync(join(dataDir, "postgres.log"), "utf8")).toContain("received fast shutdown request");

    const second = await platforms.start({ dataDir });
    const { pid, ...same } = first.ready;
    expect(second.ready).toMatchObject(same);
    expect(second.ready.pid).not.toBe(pid);
    expect((await call(second.ready, "GET", `/v1/projects/${id}`)).id).toBe(id);
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "written" }]);
    expect(await second.end("SIGTERM")).toBe(0);
  });

  it("lets the next run finish databases that were being created", async () => {
    const dataDir = join(platforms.directory, "under-way");
    const first = await platforms.start({ dataDir });
    const source = (await makeProject(first.ready)).database;
    await query(source.connectionString, "create table notes as select generate_series(1, 200000) as id");
    const bodies = [{}, {}, { source: { type: "database", databaseId: source.id } }, {}];
    const project = await call(first.ready, "POST", "/v1/projects", { name: "more", createDatabase: false });
    const made = await Promise.all(
      bodies.map((body) => call(first.ready, "POST", `/v1/projects/${project.id}/databases`, body)),
    );
    const pids = first.descendants();
    await first.end("SIGKILL");
    await nothingLeft(pids);

    const second = await platforms.start({ dataDir });
    for (const { id, connectionString } of made) {
      expect(await finalStatus(second.ready, id)).toBe("ready");
      await query(connectionString, "select 1");
    }
    expect(await query(made[2]?.connectionString ?? "", "select count(*)::int as rows from notes")).toEqual([
      { rows: 200_000 },
    ]);
    await second.end("SIGTERM");
  });

  it("loses nothing that was acknowledged or committed when all processes are killed at once", async () => {
    const dataDir = join(platforms.directory, "all-killed");
    const first = await platforms.start({ dataDir });
    const { database } = await makeProject(first.ready);
    await query(database.connectionString, "create table notes as select 'committed' as text");
    const pids = [first.ready.pid, ...first.descendants()];
    killAll(pids);
    await nothingLeft(pids);

    const second = await platforms.start({ dataDir });
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "committed" }]);
    await second.end("SIGTERM");
  });

  it("restarts a killed watchdog, which takes over", async () => {
    const platform = await platforms.start({ ephemeral: true });
    const former = platform.watchdog();
    signal(former, "SIGKILL");
    await vi.waitFor(() => expect(platform.watchdog()).not.toBe(former));
    const pids = platform.descendants();
    await platform.end("SIGKILL");
    await nothingLeft(pids);
    await disappears(dirname(platform.ready.controlSecretFile));
  });

  it("is cleaned up after at the next start when platform and watchdog were killed together", async () => {
    const dataDir = join(platforms.directory, "both-killed");
    // A separate directory, because every start of an ephemeral platform cleans up its parent directory.
    const environment = { TMPDIR: await mkdtemp(join(platforms.directory, "ephemeral-")) };
    await chmod(environment.TMPDIR, 0o755);
    const kept = await platforms.start({ dataDir });
    const ephemeral = await platforms.start({ ephemeral: true }, { environment });
    const { database } = await makeProject(kept.ready);
    const pids = [...kept.descendants(), ...ephemeral.descendants()];
    for (const platform of [kept, ephemeral]) {
      signal(platform.watchdog(), "SIGSTOP");
      const watchdog = platform.watchdog();
      await platform.end("SIGKILL");
      signal(watchdog, "SIGKILL");
    }
    expect(running(pids).length).toBeGreaterThan(4);

    const again = await platforms.start({ dataDir });
    await query(database.connectionString, "select 1");
    const another = await platforms.start({ ephemeral: true }, { environment });
    await nothingLeft(pids);
    expect(await exists(dirname(ephemeral.ready.controlSecretFile))).toBe(false);
    await again.end("SIGTERM");
    await another.end("SIGTERM");
  });
});

describe.concurrent("a suspended Postgres", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("ends with its platform: %s", async (signal) => {
    const platform = await platforms.start({ ephemeral: true });
    await makeProject(platform.ready);
    const pids = platform.descendants();
    // SIGTERM is handled by the platform itself, which must not wait for a suspended watchdog.
    const helpers = /mgmt-watchdog|mgmt-log|^cat /;
    const suspended = pids.filter((pid) => signal === "SIGTERM" || !helpers.test(commandLine(pid)));
    // A session may end meanwhile.
    const lines = suspended.map(commandLine).filter((line) => line !== "");
    const known = signal === "SIGTERM" ? /postgres|mgmt-watchdog|mgmt-log|^cat / : /postgres/;
    expect(lines).toEqual(lines.map(() => expect.stringMatching(known)));
    signalAll(suspended, "SIGSTOP");
    await platform.end(signal);
    await nothingLeft(pids);
    await disappears(dirname(platform.ready.controlSecretFile));
  });
});

describe.concurrent("a data directory of another process", () => {
  it("is refused while that process runs", async () => {
    const dataDir = join(platforms.directory, "shared");
    const first = await platforms.start({ dataDir });
    await expect(platforms.start({ dataDir })).rejects.toMatchObject({ code: "platform:data_dir_in_use" });
    await first.end("SIGTERM");
  });
});

describe.runIf(isRunningAsRoot())("root", { concurrent: true }, () => {
  const nobody = { uid: 65_534, gid: 65_534 };

  it("uses a data directory whose parent is closed to others, or reports that this Postgres cannot", async () => {
    const closed = await mkdtemp(join(platforms.directory, "closed-"));
    const { binaries } = await findPrograms();
    const started = platforms.start({ dataDir: join(closed, "data") });
    if (binaries.major < 16) {
      await expect(started).rejects.toMatchObject({ code: "platform:data_dir_unwritable" });
      return;
    }
    const platform = await started;
    await makeProject(platform.ready);
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
    await platform.end("SIGTERM");
  });

  it("is not required: another user gets its own platform and cache", async () => {
    const home = join(platforms.directory, "home");
    const image = /^cluster-[\d.]+-[0-9a-f]{16}$/;
    await mkdir(home);
    await chown(home, nobody.uid, nobody.gid);
    const environment = {
      HOME: home,
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_STATE_HOME: join(home, "state"),
    };
    for (const options of [{ ephemeral: true }, {}]) {
      const platform = await platforms.start(options, { account: nobody, environment });
      const { database } = await makeProject(platform.ready);
      await query(database.connectionString, "create table notes (id int)");
      await vi.waitFor(async () =>
        expect(await readdir(join(home, "cache", "mgmt"))).toEqual([expect.stringMatching(image)]),
      );
      const pids = platform.descendants();
      await platform.end("SIGKILL");
      await nothingLeft(pids);
    }
    expect(await readdir(join(home, "state", "mgmt"))).toContain("platform.json");
    expect((await stat(join(home, "state", "mgmt"))).mode & 0o777).toBe(0o700);
    const cached = await readdir(join(home, "cache", "mgmt"));
    expect(cached.filter((name) => name.startsWith("cluster-"))).toHaveLength(1);
  });

  it("is not assumed: another user is refused where it cannot write", async () => {
    const closed = await mkdtemp(join(platforms.directory, "closed-"));
    const refused = (dataDir: string) =>
      platforms.start({ dataDir }, { account: nobody, environment: { HOME: closed } });
    await expect(refused(closed)).rejects.toMatchObject({ code: "platform:data_dir_unwritable" });
    await expect(refused(join(closed, "below"))).rejects.toMatchObject({
      code: "platform:data_dir_unwritable",
    });
    await expect(refused("/mgmt-at-the-root")).rejects.toMatchObject({
      code: "platform:data_dir_unwritable",
    });
  });
});
