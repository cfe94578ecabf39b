import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PlatformError, type PlatformErrorCode, platformErrors } from "../../errors/platform-error.js";
import type { ServerLocation } from "./location.js";

/** How long the server runs without a runner, in milliseconds. In CI, the next step of the job may use it again. */
const getIdleMs = (): number => (process.env["CI"] ? 30_000 : 300_000);

/** How long to wait for a server that another process starts before another try, in milliseconds. */
const inUseDelayMs = 500;

/** Variables that the daemon needs. Variables of a test runner would make it a part of the run. */
const variableNames = ["PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "MGMT_POSTGRES"];

/** The report that the daemon prints once. */
interface DaemonReport {
  readonly ready?: true;
  readonly inUse?: true;
  readonly error?: { readonly code?: PlatformErrorCode; readonly message: string; readonly hint?: string };
}

/**
 * Starts the daemon of a directory, unless another process has done so. The daemon outlives this process.
 *
 * @throws PlatformError why the server did not start.
 */
export type StartDaemon = (location: ServerLocation) => Promise<void>;

const findProgram = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve("@mgmt/platform/package.json")),
    "dist/tests/daemon.js",
  );

/** Starts the daemon as a process of its own. */
export const startDaemon: StartDaemon = async ({ directory, binaries }) => {
  const options = JSON.stringify({ directory, binaries, idleMs: getIdleMs() });
  const child = spawn(process.execPath, [findProgram(), options], {
    cwd: "/",
    env: Object.fromEntries(variableNames.map((name) => [name, process.env[name]])),
    // Its own session, so that Ctrl-C in the terminal of the runner does not reach it.
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const report = await readReport(child);
  // The process that uses the directory may fail to start the server, or be about to exit, so the caller tries again.
  if (report.inUse) return sleep(inUseDelayMs);
  if (report.error === undefined) return;
  throw toStartError(report.error, directory);
};

/** Returns the error to throw for a reported one. Hints about a data directory do not apply. */
const toStartError = (
  { code, message, hint }: NonNullable<DaemonReport["error"]>,
  directory: string,
): PlatformError => {
  if (code === "platform:disk_full") return platformErrors.testDiskFull(directory);
  return code === undefined || hint === undefined || code === "platform:postgres_failed"
    ? platformErrors.testDatabaseFailed(message)
    : new PlatformError(code, message, hint);
};

const readReport = async (child: ChildProcess): Promise<DaemonReport> => {
  const { stdout } = child;
  if (stdout === null) throw new Error("A program with an output was started without one");
  let text = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const lineReceived = new Promise<void>((resolve) =>
    stdout.on("data", () => {
      if (text.includes("\n")) resolve();
    }),
  );
  const exited = once(child, "close").catch((error: unknown) => {
    text = JSON.stringify({ error: { message: error instanceof Error ? error.message : String(error) } });
  });
  await Promise.race([lineReceived, exited]);
  // The daemon continues, and this process may exit.
  child.unref();
  stdout.destroy();
  const line = text.split("\n")[0] ?? "";
  if (line === "") return { error: { message: "the program that keeps Postgres running ended early" } };
  // The daemon of this version wrote it.
  return JSON.parse(line) as DaemonReport;
};
