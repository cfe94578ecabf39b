import { type ChildProcess, spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRegularFile } from "../data-dir/safe-file.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import {
  type WaitOptions,
  getDataDirectoryParameter,
  programFailedError,
  writeAccessRules,
} from "./cluster.js";
import { type CopyMethod, chooseCopyMethod } from "./copy-method.js";
import { allowExtensions } from "./extensions.js";
import { stopOrphanedServers, resumeServers } from "./orphaned-processes.js";
import { type LogWriter, openLogForAppend, rotateLog, startLogWriter } from "./log-file.js";
import { RecoveryProgress } from "./recovery-progress.js";
import { postgresEnvironment } from "./run-program.js";
import { type SettingsOptions, buildServerParameters } from "./settings.js";
import { Watchdog } from "./watchdog.js";

/** How the Postgres server is started. */
export interface ServerOptions extends SettingsOptions {
  binaries: Binaries;
  account: SystemAccount | undefined;
  /** Directory of the cluster. */
  directory: string;
  logFile: string;
  /** Directory that the watchdog removes when this process dies without stopping the server. */
  directoryToRemove: string | undefined;
  /** Descriptor of the lock of the data directory, which Postgres and the watchdog hold as well. Default: none. */
  lockDescriptor?: number | undefined;
}

/** Thrown when the port is in use. Starting with another port may succeed. */
export class PostgresPortTakenError extends Error {}

/**
 * How long a start may make no progress, in milliseconds. After a crash, Postgres first reads and
 * syncs all files, which takes minutes on a slow disk. It reports that in its log every two seconds.
 */
const startTimeoutMs = 60_000;
/** Between two checks for progress. */
const progressIntervalMs = 1_000;
const maxLogBytes = 8 * 1024 * 1024;
/** Milliseconds between checks of the size of the log. */
const rotationIntervalMs = 60_000;

/** How long the steps of a shutdown may take, in milliseconds. */
const stopTimeoutsMs = {
  /** The end of all sessions. One does not end during a statement that Postgres cannot interrupt. */
  sessions: 5_000,
  /** The last checkpoint, which a slow disk prolongs. */
  checkpoint: 15_000,
};

/** How long a server may take to end immediately, in milliseconds. */
const killTimeoutMs = 5_000;

/** The line that Postgres logs when all sessions are closed. */
const sessionsTerminatedPattern = /\] LOG: {2}shutting down$/m;

/** A running Postgres server that ends with this process. */
export class PostgresServer {
  readonly port: number;
  /** How it copies the files of databases. */
  readonly copyMethod: CopyMethod;
  /** Resolves when the server has stopped, whether by `stop` or on its own. */
  readonly exited: Promise<void>;
  readonly #directory: string;
  readonly #logFile: string;
  readonly #process: ChildProcess;
  readonly #watchdog: Watchdog;
  readonly #logWriter: LogWriter;

  private constructor(
    { port, directory, logFile, copyMethod = "copy" }: ServerOptions,
    process: ChildProcess,
    watchdog: Watchdog,
    exited: Promise<void>,
    logWriter: LogWriter,
  ) {
    this.port = port;
    this.copyMethod = copyMethod;
    this.#directory = directory;
    this.#logFile = logFile;
    this.#process = process;
    this.#watchdog = watchdog;
    this.exited = exited;
    this.#logWriter = logWriter;
  }

  /**
   * Starts the server and waits until it accepts connections.
   *
   * @param stuckTimeoutMs how long it may make no progress, in milliseconds.
   * @param onStuck called before a start without progress is aborted.
   * @throws PostgresPortTakenError; PlatformError `platform:postgres_failed`, `platform:disk_full`; the reason of the signal.
   */
  static async start(
    options: ServerOptions,
    { onProgramStarted, signal }: WaitOptions = {},
    { stuckTimeoutMs = startTimeoutMs, onStuck }: { stuckTimeoutMs?: number; onStuck?: () => void } = {},
  ): Promise<PostgresServer> {
    const { binaries, account, directory, isDurable } = options;
    await stopOrphanedServers(directory);
    signal?.throwIfAborted();
    await writeAccessRules(directory);
    const dataDirectory = getDataDirectoryParameter(directory, binaries, account);
    // A colon would end the path.
    const hasExtensions = !dataDirectory.includes(":") && (await allowExtensions(options));
    const extensionDirectory = hasExtensions ? dataDirectory : undefined;
    const copyMethod = await chooseCopyMethod(directory, binaries, account);
    const { logFile } = options;
    await rotateLog(logFile, maxLogBytes);
    const log = await openLogForAppend(logFile);
    const logStartOffset = (await log.stat()).size;
    const watchdog = new Watchdog({
      signal: isDurable ? "INT" : "QUIT",
      lockFile: join(directory, "postmaster.pid"),
      directoryToRemove: options.directoryToRemove,
      lockDescriptor: options.lockDescriptor,
    });
    const logWriter = startLogWriter(log, account);
    const child = spawn(
      join(binaries.directory, "postgres"),
      [
        "-D",
        dataDirectory,
        ...buildServerParameters(binaries, { ...options, extensionDirectory, copyMethod }),
      ],
      {
        ...account,
        cwd: directory,
        env: postgresEnvironment,
        detached: true,
        stdio: ["ignore", logWriter.input, logWriter.input, options.lockDescriptor ?? "ignore"],
      },
    );
    logWriter.input.destroy();
    const exited = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    if (child.pid !== undefined) watchdog.watch(child.pid);
    // When the disk is full, the log stays as it is.
    const rotate = (): void => void rotateLog(logFile, maxLogBytes).catch(() => undefined);
    const rotationTimer = setInterval(rotate, rotationIntervalMs).unref();
    void exited.then(() => clearInterval(rotationTimer));
    onProgramStarted?.();
    await log.close();

    const outcome = await waitUntilReady(options, child, { exited, stuckTimeoutMs, signal });
    if (outcome !== "ready") {
      if (outcome === "stuck") onStuck?.();
      child.kill("SIGKILL");
      await exited;
      // A killed postmaster does not wait for its children.
      await stopOrphanedServers(directory);
      await watchdog.dismiss();
      await logWriter.finish();
      signal?.throwIfAborted();
      const output = (await readFile(logFile)).subarray(logStartOffset).toString("utf8");
      if (/could not bind .*: Address already in use/.test(output)) throw new PostgresPortTakenError();
      throw programFailedError(directory, "Postgres did not start", selectLastLines(output));
    }
    return new PostgresServer({ ...options, copyMethod }, child, watchdog, exited, logWriter);
  }

  /**
   * Terminates all sessions and shuts the server down cleanly, also when its processes were suspended. Stops it without that when sessions
   * do not terminate, and kills it when that takes too long; the next start then repairs the files.
   */
  async stop({ sessions, checkpoint } = stopTimeoutsMs): Promise<void> {
    const { pid } = this.#process;
    if (pid !== undefined) await resumeServers(this.#directory, pid);
    const loggedBytes = (await this.#readLog()).length;
    let hasExited = await this.#signalAndWait("SIGINT", sessions);
    if (
      !hasExited &&
      sessionsTerminatedPattern.test((await this.#readLog()).toString("latin1", loggedBytes))
    ) {
      hasExited = await this.#signalAndWait("SIGINT", checkpoint);
    }
    for (const signal of ["SIGQUIT", "SIGKILL"] as const)
      hasExited ||= await this.#signalAndWait(signal, killTimeoutMs);
    // A killed postmaster does not wait for its children.
    if (!hasExited || this.#process.signalCode === "SIGKILL") await stopOrphanedServers(this.#directory);
    await this.dismissWatchdog();
    await this.#logWriter.finish();
  }

  async #signalAndWait(signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
    this.#process.kill(signal);
    const timer = new AbortController();
    const hasExitedInTime = await Promise.race([
      this.exited.then(() => true),
      sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    return hasExitedInTime;
  }

  #readLog(): Promise<Buffer> {
    return readFile(this.#logFile).catch(() => Buffer.alloc(0));
  }

  /** Terminates the postmaster immediately. The next start terminates the remaining processes of the server, and repairs the files. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Stops the watchdog of a server that has exited. */
  async dismissWatchdog(): Promise<void> {
    await this.#watchdog.dismiss();
  }
}

/** Waits for `ready` in the eighth line of `postmaster.pid`, where the postmaster writes its state. */
const waitUntilReady = async (
  { directory, logFile }: ServerOptions,
  child: ChildProcess,
  {
    exited,
    stuckTimeoutMs,
    signal,
  }: { exited: Promise<void>; stuckTimeoutMs: number; signal: AbortSignal | undefined },
): Promise<"ready" | "exited" | "stuck"> => {
  let isRunning = true;
  void exited.then(() => (isRunning = false));
  const recovery = new RecoveryProgress(directory);
  let loggedBytes = 0;
  let progressAt = performance.now();
  for (let checkedAt = progressAt; isRunning && !signal?.aborted; await sleep(4)) {
    const lines = (await readRegularFile(join(directory, "postmaster.pid")).catch(() => "")).split("\n");
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === "ready") return "ready";
    const now = performance.now();
    if (now - checkedAt < progressIntervalMs) continue;
    checkedAt = now;
    const { size } = await stat(logFile);
    if (size !== loggedBytes || (await recovery.hasProgressed())) progressAt = now;
    loggedBytes = size;
    if (now - progressAt >= stuckTimeoutMs) return "stuck";
  }
  return "exited";
};

const selectLastLines = (output: string): string => output.trim().split("\n").slice(-6).join("\n");
