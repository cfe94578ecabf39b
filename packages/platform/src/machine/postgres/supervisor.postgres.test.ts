import { readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chooseEphemeralParent } from "../data-dir/directories.js";
import { PostgresServer, type ServerOptions } from "./server.js";
import { PostgresSupervisor, type RestartCause } from "./supervisor.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../../test/cluster.js";
import { processTitled, signal } from "../../../test/processes.js";
import { WrappedPrograms, failsWithFullDisk } from "../../../test/wrapped-programs.js";

let directory: string;
let programs: WrappedPrograms;
let options: ServerOptions;
let supervisor: PostgresSupervisor;

beforeEach(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  programs = await WrappedPrograms.make(directory);
  const made = await makeCluster(directory);
  options = { ...made, binaries: { ...made.binaries, directory: programs.directory } };
  supervisor = new PostgresSupervisor(options, await PostgresServer.start(options), 60_000);
});
afterEach(async () => {
  await supervisor.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the process id of a postmaster that is ready; undefined while there is none. */
const postmaster = async (): Promise<number | undefined> => {
  const text = await readFile(join(options.directory, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  return lines[7]?.trim() === "ready" ? Number(lines[0]) : undefined;
};

/** Kills the postmaster. Returns its process id. */
const kill = async (): Promise<number> => {
  const pid = await postmaster();
  if (pid === undefined) throw new Error("Postgres is not running");
  signal(pid, "SIGKILL");
  return pid;
};

const isReplaced = (former: number): Promise<void> =>
  vi.waitFor(async () => {
    const pid = await postmaster();
    expect(pid).toBeDefined();
    expect(pid).not.toBe(former);
  });

describe("a supervised server", () => {
  it("is restarted after starts that were killed", async () => {
    await programs.insert(`[ "$(grep -c '^postgres -D' '${programs.calls}')" -gt 5 ] || kill -9 $$`);
    await isReplaced(await kill());
    await programs.restore();
  });

  it("is restarted however often it is killed, after a pause when it has ended often", async () => {
    await supervisor.stop();
    const server = await PostgresServer.start(options);
    supervisor = new PostgresSupervisor(options, server, 60_000, undefined, 2);
    const restarts = vi.fn<() => void>();
    supervisor.onRestart = restarts;
    // A kill in the last moment of a start is part of the same restart.
    while (restarts.mock.calls.length < 4) await isReplaced(await kill());
  });

  it("is restarted when there is space on the disk again", async () => {
    const reports: string[] = [];
    supervisor.onDiskFull = () => void reports.push("full");
    supervisor.onDiskFree = () => void reports.push("free");
    await programs.insert(failsWithFullDisk);
    const former = await kill();
    await vi.waitFor(async () => {
      const calls = await readFile(programs.calls, "utf8");
      // The first start, and two that fail.
      expect(calls.match(/^postgres -D/gm)?.length).toBeGreaterThan(2);
    });
    await programs.restore();
    await isReplaced(former);
    await vi.waitFor(() => expect(reports).toEqual(["full", "free"]));
  });

  it("is given up when it cannot be started for another reason", async () => {
    await supervisor.stop();
    supervisor = new PostgresSupervisor(options, await PostgresServer.start(options), 200);
    await programs.insert("echo 'FATAL:  nothing works' >&2; exit 1");
    await kill();
    expect(await supervisor.exited).toMatchObject({ code: "platform:postgres_failed" });
    await programs.restore();
  });

  it("is not restarted after its stop", async () => {
    await programs.insert(failsWithFullDisk);
    await kill();
    await supervisor.stop();
    expect(await supervisor.exited).toBeUndefined();
    await programs.restore();
  });
});

const connect = async (): Promise<Client> => {
  const client = new Client({
    host: "127.0.0.1",
    port: options.port,
    user: "postgres",
    password: adminPassword,
    database: "postgres",
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

describe.runIf(process.platform === "linux")("a server that runs but accepts no connections", () => {
  const causes: RestartCause[] = [];
  beforeEach(async () => {
    await supervisor.stop();
    const times = {
      intervalMs: 100,
      retryIntervalMs: 100,
      connectTimeoutMs: 1_000,
      stuckTimeoutMs: 1_000,
      slowAfterMs: 100,
    };
    supervisor = new PostgresSupervisor(options, await PostgresServer.start(options), 60_000, times);
    causes.length = 0;
    supervisor.onRestart = (cause) => void causes.push(cause);
  });

  const isServing = (): Promise<void> =>
    vi.waitFor(async () => {
      const client = await connect();
      await client.query("select");
      await client.end();
    });

  it("is restarted when its postmaster is suspended", async () => {
    const pid = await postmaster();
    if (pid === undefined) throw new Error("Postgres is not running");
    signal(pid, "SIGSTOP");
    await isReplaced(pid);
    expect(causes).toEqual(["stuck"]);
    await isServing();
  });

  it("is restarted when its recovery is suspended, and keeps what was committed", async () => {
    const cluster = await realpath(options.directory);
    const former = await postmaster();
    let isSuspended = false;
    let rows = 0;
    while (!isSuspended) {
      await isServing();
      const client = await connect();
      await client.query("create table if not exists numbers as select 1 as number where false");
      // Gives the recovery something to do.
      await client.query("insert into numbers select generate_series(1, 100000)");
      rows += 100_000;
      const backend = processTitled(cluster, "postgres: postgres postgres");
      if (backend !== undefined) signal(backend, "SIGKILL");
      let startup: number | undefined;
      const deadline = performance.now() + 2_000;
      while (startup === undefined && performance.now() < deadline) {
        startup = processTitled(cluster, "postgres: startup");
      }
      isSuspended = startup !== undefined && signal(startup, "SIGSTOP");
      await client.end().catch(() => undefined);
    }
    await isReplaced(former ?? 0);
    expect(causes).toEqual(["stuck"]);
    await isServing();
    const client = await connect();
    const { rows: counted } = await client.query("select count(*)::int as count from numbers");
    expect(counted).toEqual([{ count: rows }]);
    await client.end();
  });

  it("is started once more when a restart hangs, and both are reported", async () => {
    let slow = 0;
    supervisor.onSlow = () => (slow += 1);
    const starts = (await readFile(programs.calls, "utf8")).match(/^postgres -D/gm)?.length ?? 0;
    await programs.insert(
      `[ "$(grep -c '^postgres -D' '${programs.calls}')" -ne ${String(starts + 1)} ] || exec sleep 600`,
    );
    await isReplaced(await kill());
    expect(causes).toEqual(["exited", "stuck"]);
    expect(slow).toBe(1);
    await isServing();
    await programs.restore();
  });
});
