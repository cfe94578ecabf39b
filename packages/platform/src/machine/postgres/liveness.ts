import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { connectToPostgres } from "../../proxy/upstream.js";
import { Rejection } from "../../proxy/rejection.js";
import { superuser } from "@mgmt/cluster/policy/dedicated-cluster";
import { RecoveryProgress } from "./recovery-progress.js";

/** How often a server is checked, and how long it may be unavailable. All times are in milliseconds. */
export interface LivenessTimes {
  /** Between two checks of a server that accepts connections. */
  readonly intervalMs: number;
  /** Between two checks of a server that does not. */
  readonly retryIntervalMs: number;
  /** How long a connection may take. */
  readonly connectTimeoutMs: number;
  /** How long a server may neither accept a connection nor make progress. */
  readonly stuckTimeoutMs: number;
  /** After this time without a connection, a server counts as slow. */
  readonly slowAfterMs: number;
}

/** A server that hangs is started again within 12 seconds, and the start takes a few seconds more. */
export const livenessTimes: LivenessTimes = {
  intervalMs: 2_000,
  retryIntervalMs: 500,
  connectTimeoutMs: 1_500,
  stuckTimeoutMs: 6_000,
  slowAfterMs: 5_000,
};

/** The longest value of `stuckTimeoutMs`, in milliseconds. It grows to this if servers get stuck repeatedly, because the disk may be slow. */
export const maxStuckTimeoutMs = 60_000;

/**
 * Number of failed checks that are needed besides the time limit, so that a machine that was suspended or is very busy does not stop a
 * working server.
 */
const minFailures = 4;

/** Maximum size of the end of the log that is searched for progress, in bytes. */
const maxScannedLogBytes = 65_536;

/** A line that reports progress. Each connection that is rejected during a recovery adds one with `FATAL`. */
const progressPattern = /^.{0,80}\] LOG: {2}/m;

/** Receives the reports of a watch. */
export interface LivenessCallbacks {
  /** Called whenever the server accepts a connection. */
  onAccept(): void;
  /** Called once in each period without a connection, after `slowAfterMs`. */
  onSlow(): void;
}

/**
 * Resolves with true once a server has neither accepted a connection nor made progress for the limit, although its postmaster
 * runs: its recovery may have lost a process. Resolves with false when the signal is aborted.
 */
export const waitUntilStuck = async (
  { port, logFile, directory }: { port: number; logFile: string; directory: string },
  signal: AbortSignal,
  { intervalMs, retryIntervalMs, connectTimeoutMs, stuckTimeoutMs, slowAfterMs }: LivenessTimes,
  { onAccept, onSlow }: LivenessCallbacks,
): Promise<boolean> => {
  const recovery = new RecoveryProgress(directory);
  let failureCount = 0;
  let failingSince = 0;
  let unavailableSince: number | undefined;
  let isSlow = false;
  let loggedBytes = 0;
  while (!signal.aborted) {
    const connectionResult = await probeConnection(port, connectTimeoutMs, signal);
    if (connectionResult === "accepted") {
      failureCount = 0;
      unavailableSince = undefined;
      isSlow = false;
      onAccept();
    } else {
      const log = await readLogProgress(logFile, failureCount === 0 ? undefined : loggedBytes);
      loggedBytes = log.size;
      // A server that is suspended may have processes that work.
      const isWorking = connectionResult === "refused" && (await recovery.hasProgressed());
      const now = performance.now();
      if (failureCount === 0 || log.hasProgress || isWorking) {
        failureCount = 0;
        failingSince = now;
      }
      failureCount += 1;
      if (failureCount > minFailures && now - failingSince >= stuckTimeoutMs) return !signal.aborted;
      unavailableSince ??= now;
      if (!isSlow && now - unavailableSince >= slowAfterMs && !signal.aborted) {
        isSlow = true;
        onSlow();
      }
    }
    const delayMs = failureCount === 0 ? intervalMs : retryIntervalMs;
    await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return false;
};

/** Returns the message that begins a session. Postgres answers with a request for the password, which is enough to know that it runs. */
const encodeStartupMessage = (): Buffer => {
  const parameters = Buffer.from(`user\0${superuser}\0database\0postgres\0\0`);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(header.length + parameters.length, 0);
  // Version 3.0 of the protocol.
  header.writeUInt32BE(3 << 16, 4);
  return Buffer.concat([header, parameters]);
};

/** Opens a connection. Postgres rejects it while it is not ready. */
const probeConnection = async (
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"accepted" | "refused" | "silent"> => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs).unref();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const { upstream } = await connectToPostgres({ host: "127.0.0.1", port }, encodeStartupMessage(), {
      timeoutMs: 0,
      signal: controller.signal,
    });
    upstream.socket.destroy();
    return "accepted";
  } catch (error) {
    return error instanceof Rejection ? "refused" : "silent";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
};

/** @param progressOffset the offset in the log to search for progress from, in bytes. Undefined to search nothing. */
const readLogProgress = async (
  path: string,
  progressOffset: number | undefined,
): Promise<{ size: number; hasProgress: boolean }> => {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return { size: 0, hasProgress: false };
  try {
    const { size } = await file.stat();
    // A rotation has emptied the log.
    const start = Math.max(
      progressOffset !== undefined && progressOffset <= size ? progressOffset : 0,
      size - maxScannedLogBytes,
    );
    if (progressOffset === undefined || start === size) return { size, hasProgress: false };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return { size, hasProgress: progressPattern.test(buffer.toString("latin1", 0, bytesRead)) };
  } finally {
    await file.close();
  }
};
