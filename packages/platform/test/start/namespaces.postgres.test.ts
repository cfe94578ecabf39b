import { mkdir, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeProject, query } from "../api.js";
import { IsolatedPlatform, whyNoNamespaces } from "../namespaces.js";
import { Platforms, bundleProgram } from "../platform-process.js";
import { holdersOf, killAll, running, signalAll } from "../processes.js";

const platforms = new Platforms();
const isolated: IsolatedPlatform[] = [];

const startIsolated = async (options: {
  dataDir?: string;
  ephemeral?: boolean;
}): Promise<IsolatedPlatform> => {
  const platform = await IsolatedPlatform.start(await bundleProgram(platforms.directory), options);
  isolated.push(platform);
  return platform;
};

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const platform of isolated.splice(0)) await platform.kill();
});

const rejection = { code: "platform:data_dir_in_use" };
const started = { baseUrl: expect.any(String) };

const expectPrinted = ({ printed }: IsolatedPlatform, expected: object): void =>
  // A failure says what was printed instead.
  expect(printed, JSON.stringify(printed)).toMatchObject(expected);

const ended = (pids: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(running(pids)).toEqual([]), { interval: 20 });

/** Returns the paths of the pipes by which the system shows that a process holds the lock. */
const pipesIn = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => name.endsWith(".pipe")).map((name) => join(dataDir, name));

const reason = whyNoNamespaces();

describe("a data directory that containers share", () => {
  it("is refused by a second one, while the first one and its data go on", async ({ skip }) => {
    if (reason !== undefined) skip(reason);
    const dataDir = join(platforms.directory, "shared");
    for (let round = 1; round <= 3; round += 1) {
      const first = await platforms.start({ dataDir });
      const { database } = await makeProject(first.ready);
      await query(database.connectionString, "create table notes as select generate_series(1, 1000)");
      const second = await startIsolated({ dataDir });
      expectPrinted(second, rejection);
      await query(database.connectionString, "insert into notes select generate_series(1, 1000)");
      await first.end("SIGTERM");
      const again = await platforms.start({ dataDir });
      expect(await query(database.connectionString, "select count(*)::int as rows from notes")).toEqual([
        { rows: 2000 },
      ]);
      await again.end("SIGTERM");
      const log = await readFile(join(dataDir, "postgres.log"), "utf8");
      expect(log.match(/ready to accept connections/g)).toHaveLength(2 * round);
    }
  });

  it("is refused until the last process of a killed one has ended, and then taken over", async ({ skip }) => {
    if (reason !== undefined) skip(reason);
    const dataDir = join(platforms.directory, "killed");
    const first = await startIsolated({ dataDir });
    expectPrinted(first, started);
    const postmaster = first.processes(/postgres -D/);
    const checkpointer = first.processes(/^postgres: checkpointer/);
    const platform = first.processes(/^\S*node .*run-platform/);
    expect([postmaster.length, checkpointer.length, platform.length]).toEqual([1, 1, 1]);
    const [pipe = ""] = await pipesIn(dataDir);
    expect(holdersOf(pipe)).toEqual(expect.arrayContaining([...postmaster, ...checkpointer, ...platform]));
    // Suspended, so that it does not end with the postmaster.
    signalAll(checkpointer, "SIGSTOP");
    signalAll(platform, "SIGSTOP");
    killAll([...first.processes(/mgmt-watchdog/), ...platform]);
    await ended(platform);
    expectPrinted(await startIsolated({ dataDir }), rejection);
    killAll(postmaster);
    await ended(postmaster);
    expectPrinted(await startIsolated({ dataDir }), rejection);
    // Also a server that has not set its title yet.
    killAll(holdersOf(pipe));
    await vi.waitFor(() => expect(holdersOf(pipe)).toEqual([]), { timeout: 60_000, interval: 20 });
    expectPrinted(await startIsolated({ dataDir }), started);
  });

  it("is refused while Postgres runs in another one, even if somebody has removed the lock", async ({
    skip,
  }) => {
    if (reason !== undefined) skip(reason);
    const dataDir = join(platforms.directory, "unlocked");
    const first = await startIsolated({ dataDir });
    expectPrinted(first, started);
    await rm(join(dataDir, "platform.lock"));
    const second = await startIsolated({ dataDir });
    expect(second.printed).toMatchObject({
      ...rejection,
      message: expect.stringContaining("A Postgres server that this process cannot stop"),
    });
    expect(await readdir(join(dataDir, "postgres"))).toContain("postmaster.pid");
  });
});

describe("a directory for temporary files that containers share", () => {
  it("keeps the data of one that runs, and loses that of a killed one", async ({ skip }) => {
    if (reason !== undefined) skip(reason);
    const temporary = join(platforms.directory, "temporary");
    await mkdir(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const first = await startIsolated({ ephemeral: true });
    const [kept] = await readdir(temporary);
    const second = await startIsolated({ ephemeral: true });
    expect([first.printed, second.printed]).toMatchObject([started, started]);
    expect(await readdir(temporary)).toHaveLength(2);
    await first.kill();
    expect((await startIsolated({ ephemeral: true })).printed).toMatchObject(started);
    expect(await readdir(temporary)).not.toContain(kept);
    expect(await readdir(temporary)).toHaveLength(2);
  });
});
