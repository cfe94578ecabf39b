import { type ChildProcess, spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRegularFile } from "../data-dir/safe-file.js";
import type { SystemAccount } from "../data-dir/postgres-account.js";
import type { Binaries } from "./binaries.js";
import { type Waiting, dataDirectoryParameter, programFailedError, writeAccessRules } from "./cluster.js";
import { allowExtensions } from "./extensions.js";
import { endLeftovers, resumeServers } from "./leftovers.js";
import { type LogWriter, openLog, rotateLog, startLogWriter } from "./log-file.js";
import { RecoveryProgress } from "./recovery-progress.js";
import { postgresEnvironment } from "./run-program.js";
import { type ServerChoices, serverParameters } from "./settings.js";
import { Watchdog } from "./watchdog.js";

export interface ServerOptions extends ServerChoices {
  binaries: Binaries;
  account: SystemAccount | undefined;
  /** Directory of the cluster. */
  directory: string;
  logFile: string;
  /** Directory that the watchdog removes when this process dies without stopping the server. */
  removeWhenKilled: string | undefined;
  /** Descriptor of the lock of the data directory, which Postgres and the watchdog hold as well. Default: none. */
  lock?: number | undefined;
}

/** Thrown when the port is in use. Starting with another port may succeed. */
export class PostgresPortTaken extends Error {}

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

/** How long a server may take to end at once, in milliseconds. */
const killTimeoutMs = 5_000;

/** The line that Postgres logs when all sessions have ended. */
const sessionsEndedPattern = /\] LOG: {2}shutting down$/m;

/** A running Postgres server that ends with this process. */
export class PostgresServer {
  readonly port: number;
  /** Resolves when the server has ended, whether by `stop` or on its own. */
  readonly ended: Promise<void>;
  readonly #directory: string;
  readonly #logFile: string;
  readonly #process: ChildProcess;
  readonly #watchdog: Watchdog;
  readonly #logWriter: LogWriter;

  private constructor(
    { port, directory, logFile }: ServerOptions,
    process: ChildProcess,
    watchdog: Watchdog,
    ended: Promise<void>,
    logWriter: LogWriter,
  ) {
    this.port = port;
    this.#directory = directory;
    this.#logFile = logFile;
    this.#process = process;
    this.#watchdog = watchdog;
    this.ended = ended;
    this.#logWriter = logWriter;
  }

  /**
   * Starts the server and waits until it accepts connections.
   *
   * @param limit how long it may make no progress, in milliseconds.
   * @param onStuck called before a start without progress is ended.
   * @throws PostgresPortTaken; PlatformError `platform:postgres_failed`, `platform:disk_full`; the reason of the signal.
   */
  static async start(
    options: ServerOptions,
    { whileWaiting, signal }: Waiting = {},
    { limit = startTimeoutMs, onStuck }: { limit?: number; onStuck?: () => void } = {},
  ): Promise<PostgresServer> {
    const { binaries, account, directory, durable } = options;
    await endLeftovers(directory);
    signal?.throwIfAborted();
    await writeAccessRules(directory);
    const dataDirectory = dataDirectoryParameter(directory, binaries, account);
    // A colon would end the path.
    const isAllowed = !dataDirectory.includes(":") && (await allowExtensions(options));
    const extensions = isAllowed ? dataDirectory : undefined;
    const { logFile } = options;
    await rotateLog(logFile, maxLogBytes);
    const log = await openLog(logFile);
    const logStart = (await log.stat()).size;
    const watchdog = new Watchdog({
      signal: durable ? "INT" : "QUIT",
      lockFile: join(directory, "postmaster.pid"),
      remove: options.removeWhenKilled,
      lock: options.lock,
    });
    const writer = startLogWriter(log, account);
    const child = spawn(
      join(binaries.directory, "postgres"),
      ["-D", dataDirectory, ...serverParameters(binaries, { ...options, extensions })],
      {
        ...account,
        cwd: directory,
        env: postgresEnvironment,
        detached: true,
        stdio: ["ignore", writer.input, writer.input, options.lock ?? "ignore"],
      },
    );
    writer.input.destroy();
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    if (child.pid !== undefined) watchdog.watch(child.pid);
    // When the disk is full, the log stays as it is.
    const rotate = (): void => void rotateLog(logFile, maxLogBytes).catch(() => undefined);
    const rotation = setInterval(rotate, rotationIntervalMs).unref();
    void ended.then(() => clearInterval(rotation));
    whileWaiting?.();
    await log.close();

    const outcome = await waitUntilReady(options, child, { ended, limit, signal });
    if (outcome !== "ready") {
      if (outcome === "stuck") onStuck?.();
      child.kill("SIGKILL");
      await ended;
      // A killed postmaster does not wait for its children.
      await endLeftovers(directory);
      await watchdog.dismiss();
      await writer.finish();
      signal?.throwIfAborted();
      const output = (await readFile(logFile)).subarray(logStart).toString("utf8");
      if (/could not bind .*: Address already in use/.test(output)) throw new PostgresPortTaken();
      throw programFailedError(directory, "Postgres did not start", readLastLines(output));
    }
    return new PostgresServer(options, child, watchdog, ended, writer);
  }

  /**
   * Ends all sessions and shuts the server down cleanly, also when its processes were suspended. Ends it without that when sessions
   * do not end, and kills it when that takes too long; the next start then repairs the files.
   */
  async stop({ sessions, checkpoint } = stopTimeoutsMs): Promise<void> {
    const { pid } = this.#process;
    if (pid !== undefined) await resumeServers(this.#directory, pid);
    const logged = (await this.#log()).length;
    let hasEnded = await this.#endsWithin("SIGINT", sessions);
    if (!hasEnded && sessionsEndedPattern.test((await this.#log()).toString("latin1", logged))) {
      hasEnded = await this.#endsWithin("SIGINT", checkpoint);
    }
    for (const signal of ["SIGQUIT", "SIGKILL"] as const)
      hasEnded ||= await this.#endsWithin(signal, killTimeoutMs);
    // A killed postmaster does not wait for its children.
    if (!hasEnded || this.#process.signalCode === "SIGKILL") await endLeftovers(this.#directory);
    await this.dismissWatchdog();
    await this.#logWriter.finish();
  }

  async #endsWithin(signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
    this.#process.kill(signal);
    const timer = new AbortController();
    const hasEndedInTime = await Promise.race([
      this.ended.then(() => true),
      sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    return hasEndedInTime;
  }

  #log(): Promise<Buffer> {
    return readFile(this.#logFile).catch(() => Buffer.alloc(0));
  }

  /** Ends the postmaster at once. The next start ends the remaining processes of the server, and repairs the files. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Ends the watchdog of a server that has ended. */
  async dismissWatchdog(): Promise<void> {
    await this.#watchdog.dismiss();
  }
}

/** Waits for `ready` in the eighth line of `postmaster.pid`, where the postmaster writes its state. */
const waitUntilReady = async (
  { directory, logFile }: ServerOptions,
  child: ChildProcess,
  { ended, limit, signal }: { ended: Promise<void>; limit: number; signal: AbortSignal | undefined },
): Promise<"ready" | "ended" | "stuck"> => {
  let running = true;
  void ended.then(() => (running = false));
  const work = new RecoveryProgress(directory);
  let logged = 0;
  let progressAt = performance.now();
  for (let checkedAt = progressAt; running && !signal?.aborted; await sleep(4)) {
    const lines = (await readRegularFile(join(directory, "postmaster.pid")).catch(() => "")).split("\n");
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === "ready") return "ready";
    const now = performance.now();
    if (now - checkedAt < progressIntervalMs) continue;
    checkedAt = now;
    const { size } = await stat(logFile);
    if (size !== logged || (await work.hasProgressed())) progressAt = now;
    logged = size;
    if (now - progressAt >= limit) return "stuck";
  }
  return "ended";
};

const readLastLines = (output: string): string => output.trim().split("\n").slice(-6).join("\n");
