import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stopOrphanedServers } from "./orphaned-processes.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let root: string;
let directory: string;
let lockFile: string;
let server: ChildProcess | undefined;
beforeEach(async () => {
  root = await realpath(await temporaryDirectory(tmpdir()));
  // Longer than the lines that `ps` shortens.
  directory = join(root, "x".repeat(200));
  lockFile = join(directory, "postmaster.pid");
  await mkdir(directory);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server?.kill("SIGKILL");
  await rm(root, { recursive: true, force: true });
});

/** Starts a program with the name and the working directory of Postgres, which waits for its input to end. */
const startServer = async (): Promise<ChildProcess> => {
  const program = join(root, "postgres");
  await symlink("/bin/sh", program);
  server = spawn(program, ["-c", "read line", "postgres", "-D", directory], { cwd: directory, argv0: "sh" });
  await once(server, "spawn");
  await writeFile(lockFile, `${String(server.pid)}\n${directory}\n`);
  return server;
};

describe.skipIf(process.platform === "win32")("a server that is left", () => {
  it("is found by ps in a directory whose path is long, and is stopped", async () => {
    const child = await startServer();
    // As on macOS, whose `ps` shortens lines to the columns of a terminal.
    vi.stubEnv("COLUMNS", "80");
    vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
    await stopOrphanedServers(directory, [{ signal: "SIGKILL", attempts: 100 }]);
    expect(child.signalCode ?? (await once(child, "exit"))[1]).toBe("SIGKILL");
  });

  it("keeps its lock when it does not end, which is an error", async () => {
    const { pid } = await startServer();
    vi.spyOn(process, "kill").mockReturnValue(true);
    await expect(stopOrphanedServers(directory, [{ signal: "SIGKILL", attempts: 2 }])).rejects.toMatchObject({
      code: "platform:data_dir_in_use",
      message: expect.stringContaining(`process ${String(pid)}`),
      hint: expect.stringContaining(`kill ${String(pid)}`),
    });
    expect(existsSync(lockFile)).toBe(true);
  });
});
