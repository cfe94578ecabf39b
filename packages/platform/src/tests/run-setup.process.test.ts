import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../test/cluster.js";
import { bundleProgram } from "../../test/platform-process.js";
import { killAll, running } from "../../test/processes.js";

let directory = "";
let program = "";

beforeAll(async () => {
  directory = await temporaryDirectory();
  program = await bundleProgram(directory, "run-setup-program");
});

afterAll(() => rm(directory, { recursive: true }));

/** Starts a program that ignores SIGTERM, and writes its process id to `pid`. */
const stubborn = `sh -c 'trap "" TERM; echo $$ > pid.part; mv pid.part pid; exec sleep 600' &`;

const readPid = async (): Promise<number> =>
  vi.waitFor(async () => Number(await readFile(join(directory, "pid"), "utf8")), { timeout: 20_000 });

const start = async (command: string, timeoutMs: number): Promise<ChildProcess> => {
  await rm(join(directory, "pid"), { force: true });
  return spawn(process.execPath, [program, command, directory, String(timeoutMs)], { stdio: "ignore" });
};

describe("a command that sets up test databases", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "ends with all it started when its runner gets %s",
    async (signal) => {
      const runner = await start(`${stubborn} wait`, 600_000);
      const pid = await readPid();
      runner.kill(signal);
      await vi.waitFor(() => expect(running([pid])).toEqual([]), { timeout: 20_000 });
    },
  );

  it("ends with all it started after its time, also if a part of it ignores SIGTERM", async () => {
    const runner = await start(`${stubborn} while [ ! -e pid ]; do sleep 0.1; done; wait`, 3_000);
    const exited = once(runner, "exit");
    const pid = await readPid();
    expect(await exited).toEqual([1, null]);
    await vi.waitFor(() => expect(running([pid])).toEqual([]), { timeout: 20_000 });
  });

  it("may leave a program that keeps running, and does not wait for it", async () => {
    const runner = await start(`${stubborn} while [ ! -e pid ]; do sleep 0.1; done`, 600_000);
    const exited = once(runner, "exit");
    const pid = await readPid();
    expect(await exited).toEqual([0, null]);
    expect(running([pid])).toEqual([pid]);
    killAll([pid]);
  });
});
