import { existsSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRunningAsRoot } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import { getDataDirectoryParameter, assertDirectoryReachable } from "./cluster.js";
import { stopOrphanedServers, stopOrphanedProcesses } from "./orphaned-processes.js";
import { findProcessesInDirectory } from "./process-files.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory(tmpdir());
  // As in a sandbox that does not mount /proc.
  const exists = existsSync;
  vi.spyOn(process.getBuiltinModule("node:fs"), "existsSync").mockImplementation(
    (path) => !String(path).startsWith("/proc/") && exists(path),
  );
  syncBuiltinESMExports();
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(directory, { recursive: true, force: true });
});

const binaries: Binaries = { directory: "/usr/lib/postgresql/18/bin", version: "18.1", major: 18 };

describe.skipIf(process.platform !== "linux")("without process files", () => {
  it("leaves the lock file of a process that may be Postgres, so that Postgres judges it", async () => {
    const lockFile = join(directory, "postmaster.pid");
    await writeFile(lockFile, `${String(process.pid)}\n${directory}\n`);
    await stopOrphanedServers(directory);
    expect(existsSync(lockFile)).toBe(true);
    await writeFile(lockFile, "");
    await stopOrphanedServers(directory);
    expect(existsSync(lockFile)).toBe(false);
  });

  it("ends no program that it cannot tell from others", async () => {
    expect(await findProcessesInDirectory(process.cwd(), /./)).toEqual([]);
    await stopOrphanedProcesses(process.cwd());
  });

  it("passes the path of the data directory to Postgres, also when it runs as another account", () => {
    expect(getDataDirectoryParameter(directory, binaries, { uid: 1234, gid: 1234 })).toBe(directory);
  });

  it.runIf(isRunningAsRoot())(
    "refuses a data directory that the account of Postgres cannot reach",
    async () => {
      const account = { uid: 54_321, gid: 54_321 };
      const inner = join(directory, "data");
      await mkdir(inner);
      await chmod(directory, 0o700);
      await expect(assertDirectoryReachable(inner, binaries, account)).rejects.toMatchObject({
        code: "platform:data_dir_unwritable",
        message: expect.stringContaining(inner),
        hint: expect.stringContaining("if /proc is mounted"),
      });
      await expect(
        assertDirectoryReachable(inner, { ...binaries, major: 15 }, account),
      ).rejects.toMatchObject({
        hint: expect.stringContaining("Postgres 16 and newer"),
      });
      await chmod(directory, 0o711);
      await assertDirectoryReachable(inner, binaries, account);
    },
  );
});
