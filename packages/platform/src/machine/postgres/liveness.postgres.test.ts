import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, rm, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Rejection } from "../../proxy/rejection.js";
import { waitUntilStuck } from "./liveness.js";
import { RecoveryProgress } from "./recovery-progress.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let directory: string;
let logFile: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  logFile = join(directory, "log");
  await writeFile(logFile, "2026-01-01 00:00:00.000 UTC [1] LOG:  starting\n");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const log = (severity: string, message: string): Promise<void> =>
  appendFile(logFile, `2026-01-01 00:00:00.000 UTC [1] ${severity}:  ${message}\n`);

/** More checks than a server needs to count as stuck. */
const manyChecks = 20;

/**
 * Watches a server that handles each connection in this way, until it is stuck or was checked many times.
 *
 * @param answer returns what the server sends; undefined for nothing.
 */
const watch = async (
  answer: () => Promise<Buffer | undefined>,
  {
    limit = 20,
    slow = 5_000,
    onSlow = () => undefined,
  }: { limit?: number; slow?: number; onSlow?: () => void } = {},
): Promise<boolean> => {
  const watching = new AbortController();
  let checks = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    checks += 1;
    if (checks > manyChecks) watching.abort();
    socket.once(
      "data",
      () => void answer().then((bytes) => (bytes === undefined ? undefined : socket.end(bytes))),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const times = {
    intervalMs: 1,
    retryIntervalMs: 5,
    connectTimeoutMs: 50,
    stuckTimeoutMs: limit,
    slowAfterMs: slow,
  };
  const reports = { onAccept: () => undefined, onSlow };
  return waitUntilStuck({ port, logFile, directory }, watching.signal, times, reports);
};

const authenticationRequest = Buffer.from("R\0\0\0\x08", "latin1");
const recovering = new Rejection("57P03", "the database system is in recovery mode").encode();

describe("a server that counts as stuck", () => {
  it("refuses all connections and logs only that", async () => {
    expect(
      await watch(async () => {
        await log("FATAL", "the database system is in recovery mode");
        return recovering;
      }),
    ).toBe(true);
  });

  it("answers no connection, because it is suspended", async () => {
    expect(await watch(() => Promise.resolve(undefined))).toBe(true);
  });

  it("was checked several times, because the machine may have been suspended meanwhile", async () => {
    let checks = 0;
    const reject = (): Promise<Buffer> => {
      checks += 1;
      return Promise.resolve(recovering);
    };
    expect(await watch(reject, { limit: 0 })).toBe(true);
    expect(checks).toBe(5);
  });

  it("makes no progress any longer, after it did", async () => {
    let checks = 0;
    expect(
      await watch(async () => {
        checks += 1;
        if (checks < 5) await log("LOG", "redo in progress, elapsed time: 2.00 s");
        return recovering;
      }),
    ).toBe(true);
  });
});

describe("a server that does not count as stuck", () => {
  it("asks for a password", async () => {
    expect(await watch(() => Promise.resolve(authenticationRequest))).toBe(false);
  });

  it("has too many connections", async () => {
    const full = new Rejection("53300", "sorry, too many clients already").encode();
    expect(await watch(() => Promise.resolve(full))).toBe(false);
  });

  it("accepts a connection now and then", async () => {
    let checks = 0;
    expect(
      await watch(() => {
        checks += 1;
        return Promise.resolve(checks % 4 === 0 ? authenticationRequest : recovering);
      }),
    ).toBe(false);
  });

  it("reports progress of its recovery", async () => {
    expect(
      await watch(async () => {
        await log("LOG", "redo in progress, elapsed time: 2.00 s");
        return recovering;
      }),
    ).toBe(false);
  });

  it("reports progress after its log was emptied", async () => {
    await log("LOG", "x".repeat(10_000));
    let checks = 0;
    expect(
      await watch(async () => {
        checks += 1;
        if (checks === 3) await writeFile(logFile, "");
        await log("LOG", "redo in progress, elapsed time: 2.00 s");
        return recovering;
      }),
    ).toBe(false);
  });
});

describe("a server that is slow", () => {
  it("is reported once for each time without a connection", async () => {
    let checks = 0;
    let reports = 0;
    await watch(
      async () => {
        checks += 1;
        await log("LOG", "redo in progress, elapsed time: 2.00 s");
        return checks % 8 === 0 ? authenticationRequest : recovering;
      },
      { slow: 0, onSlow: () => (reports += 1) },
    );
    expect(reports).toBe(Math.ceil(manyChecks / 8));
  });
});

describe.runIf(process.platform === "linux")("the work of a recovery", () => {
  /** Starts a program that has the name and the title of a process of Postgres. */
  const startProcess = async (title: string, script: string): Promise<ChildProcess> => {
    const program = join(directory, "postgres");
    await symlink("/bin/sh", program).catch(() => undefined);
    const child = spawn(program, ["-c", script], { argv0: title, cwd: directory });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    return child;
  };

  const endless = "while :; do :; done";

  it("is seen in the processor time of the startup process", async () => {
    await startProcess("postgres: startup recovering", endless);
    const work = new RecoveryProgress(directory);
    await vi.waitFor(async () => expect(await work.hasProgressed()).toBe(true));
    await vi.waitFor(async () => expect(await work.hasProgressed()).toBe(true));
  });

  it("is not seen while that process is suspended", async () => {
    const child = await startProcess("postgres: startup recovering", endless);
    child.kill("SIGSTOP");
    const work = new RecoveryProgress(directory);
    // A signal takes effect later.
    await vi.waitFor(async () => {
      await work.hasProgressed();
      expect(await work.hasProgressed()).toBe(false);
    });
    expect(await work.hasProgressed()).toBe(false);
  });

  it("is not what other processes of Postgres do", async () => {
    await startProcess("postgres: someone shop", endless);
    const work = new RecoveryProgress(directory);
    for (let check = 0; check < 5; check += 1) expect(await work.hasProgressed()).toBe(false);
  });
});
