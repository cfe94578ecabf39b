import { randomBytes } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Client, escapeIdentifier } from "pg";
import { DirectoryLock } from "../../machine/data-dir/directory-lock.js";
import { PlatformError } from "../../errors/platform-error.js";
import type { Binaries } from "../../machine/postgres/binaries.js";
import { removeServerState, writeServerState } from "../server/server-state.js";
import {
  type DaemonMessage,
  daemonChannel,
  ownerRole,
  registryStatements,
  retainedRole,
} from "../server/registry.js";
import { passwordFileName } from "../server/password-file.js";
import { Copier } from "./copier.js";
import { daemonApplicationName, openDaemonSession } from "./daemon-connection.js";
import { type OpenCluster, openCluster } from "./open-cluster.js";
import { prune, removeExitedRunners, repairRegistry } from "./cleanup.js";

/** The options of the daemon. */
export interface DaemonOptions {
  readonly directory: string;
  readonly binaries: Binaries;
  /** How long the server runs without a runner, in milliseconds. */
  readonly idleMs: number;
}

/** Interval between checks for runners that have exited, in milliseconds. */
const checkIntervalMs = 1_000;

/** Databases of failed tests can be opened for this time after the last run, in milliseconds. */
const retainedIdleMs = 3_600_000;

/** After how many checks templates and copies that are too many or too old are removed. */
const checksPerPrune = 15;

/** After how many checks the registry is vacuumed. */
const checksPerVacuum = 300;

/** Thrown when another daemon has the directory. */
export class DirectoryInUseError extends Error {}

/**
 * Runs the server of a directory until no runner has used it for a while, or until Postgres stops. The next runner starts it again.
 *
 * @param onReady called when runners can connect.
 * @param signal aborting it stops the server.
 * @throws DirectoryInUseError; PlatformError `platform:postgres_failed`, `platform:disk_full`, `platform:data_dir_unwritable`.
 */
export const runDaemon = async (
  { directory, binaries, idleMs }: DaemonOptions,
  onReady: () => void,
  signal: AbortSignal,
): Promise<void> => {
  const lock = await acquireLock(directory);
  try {
    await removeServerState(directory);
    const cluster = await openCluster({ directory, binaries });
    try {
      await serveRunners({ directory, binaries, idleMs, cluster }, onReady, signal);
    } finally {
      await removeServerState(directory);
      await cluster.close();
    }
  } finally {
    await lock.release();
  }
};

const acquireLock = async (directory: string): Promise<DirectoryLock> => {
  try {
    return await DirectoryLock.acquire(directory);
  } catch (error) {
    if (error instanceof PlatformError && error.code === "platform:data_dir_in_use")
      throw new DirectoryInUseError();
    throw error;
  }
};

const serveRunners = async (
  { directory, binaries, idleMs, cluster }: DaemonOptions & { cluster: OpenCluster },
  onReady: () => void,
  signal: AbortSignal,
): Promise<void> => {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve()));
  void cluster.server.exited.then(stop);
  signal.addEventListener("abort", stop, { once: true });
  const main = await openDaemonSession(cluster, stop);
  const sessions = await Promise.all(
    Array.from({ length: Math.min(4, Math.max(2, availableParallelism() / 2)) }, () =>
      openDaemonSession(cluster, stop),
    ),
  );
  const copier = new Copier(sessions, binaries.major);
  try {
    await prepareRegistry(main, directory, cluster.port);
    main.on("notification", ({ payload }) => {
      const { template, waits } = JSON.parse(payload ?? "{}") as DaemonMessage;
      if (template !== undefined) copier.recordUse(template, waits ?? false);
      copier.start();
    });
    await main.query(`listen ${daemonChannel}`);
    const publishState = (): Promise<void> =>
      writeServerState(directory, { port: cluster.port, password: cluster.password, pid: process.pid });
    await publishState();
    onReady();
    copier.start();
    await Promise.race([
      waitUntilIdle(main, copier, { directory, idleMs, publishState, signal: stopping.signal }),
      stopped,
    ]);
  } finally {
    if (!stopping.signal.aborted) await copier.close();
    await Promise.all([main, ...sessions].map((session) => session.end().catch(() => undefined)));
  }
};

/** Creates the registry, the roles, and the file with the password for databases of failed tests. */
const prepareRegistry = async (main: Client, directory: string, port: number): Promise<void> => {
  await main.query(registryStatements);
  const password = randomBytes(16).toString("hex");
  const { rows } = await main.query<{ rolname: string }>(
    "select rolname from pg_roles where rolname = any ($1)",
    [[ownerRole, retainedRole]],
  );
  const roles = rows.map(({ rolname }) => rolname);
  if (!roles.includes(ownerRole))
    await main.query(`create role ${escapeIdentifier(ownerRole)} createdb createrole`);
  // For `drop database … with (force)` of a test, which terminates sessions that belong to the role of a runner.
  await main.query(`grant pg_signal_backend to ${escapeIdentifier(ownerRole)}`);
  if (!roles.includes(retainedRole)) {
    await main.query(
      `create role ${escapeIdentifier(retainedRole)} login in role ${escapeIdentifier(ownerRole)}`,
    );
    await main.query(
      `alter role ${escapeIdentifier(retainedRole)} set role to ${escapeIdentifier(ownerRole)}`,
    );
  }
  await main.query(`alter role ${escapeIdentifier(retainedRole)} password '${password}'`);
  const path = join(directory, passwordFileName);
  await writeFile(path, `127.0.0.1:${String(port)}:*:${retainedRole}:${password}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  await repairRegistry(main);
  await prune(main, { known: [], active: [] });
};

interface IdleWaitOptions {
  readonly directory: string;
  readonly idleMs: number;
  /** Lets runners connect again. */
  readonly publishState: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Cleans up after runners until none has been connected for a while. */
const waitUntilIdle = async (
  main: Client,
  copier: Copier,
  { directory, idleMs, publishState, signal }: IdleWaitOptions,
): Promise<void> => {
  let usedAt = performance.now();
  for (let checkCount = 1; !signal.aborted; checkCount += 1) {
    await new Promise((resolve) => setTimeout(resolve, checkIntervalMs));
    try {
      await removeExitedRunners(main);
      copier.start();
      if (checkCount % checksPerPrune === 0) {
        await prune(main, { known: copier.listTemplates(), active: copier.listActiveTemplates() });
        copier.start();
      }
      if (checkCount % checksPerVacuum === 0) await main.query("vacuum");
      const { runners, retained } = await countRunners(main);
      const now = performance.now();
      if (runners > 0) usedAt = now;
      if (now - usedAt < (retained > 0 ? Math.max(idleMs, retainedIdleMs) : idleMs)) continue;
      // A runner that has just read the state may connect now.
      await removeServerState(directory);
      if ((await countRunners(main)).runners === 0) return;
      await publishState();
      usedAt = now;
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
};

const countRunners = async (main: Client): Promise<{ runners: number; retained: number }> => {
  const { rows } = await main.query<{ runners: number; retained: number }>(
    `select
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend' and application_name <> $1) as runners,
      (select count(*)::integer from mgmt_test.database where state = 'retained') as retained`,
    [daemonApplicationName],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("Postgres did not return a row");
  return row;
};
