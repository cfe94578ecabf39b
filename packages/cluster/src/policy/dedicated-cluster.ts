import type { ClusterConnectionOptions } from "./address.js";
import { type Cluster, type ReadTitles, runningSessionCondition } from "./cluster.js";
import { ownServerLimits } from "./connection-limits.js";
import type { Installation } from "./installation.js";
import { tenantStatements } from "./tenant-statement.js";

/** The superuser that initdb makes in a cluster of the platform. */
export const superuser = "postgres";

/** Its oid (`BOOTSTRAP_SUPERUSERID`). */
const superuserOid = "10";

/** Reads no table that all databases share, because that takes a lock, and all locks may be in use. */
const heldLocksQuery = `
  select a.datid as database, a.pid, count(*)::integer as locks
  from pg_lock_status() l join pg_stat_get_activity(null) a on a.pid = l.pid
  where a.datid is not null and a.usesysid <> ${superuserOid}
  group by 1, 2`;

/**
 * Returns a cluster that belongs to the platform and runs on the same machine.
 *
 * @param address the address and the credentials of the superuser.
 */
export const createDedicatedCluster = (
  address: ClusterConnectionOptions,
  major: number,
  readProcessTitles: ReadTitles,
  installation: Installation,
): Cluster => ({
  address,
  installation,
  maintenanceDatabase: "postgres",
  major,
  readProcessTitles,
  sessionTerminationQuery: `
    select pid, datname as database, usename as role, false as "isHidden", pg_terminate_backend(pid) as "isTerminated", ${runningSessionCondition} as "isRunning"
    from pg_stat_activity where pid <> pg_backend_pid()`,
  heldLocksQuery,
  // A library that does not exist would refuse the connection.
  privilegedOptions: "-c session_preload_libraries=",
  databaseSetupStatements: [
    ...tenantStatements.createSessionFunctions(),
    ...tenantStatements.restrictLanguages(),
    ...(major < 15 ? [tenantStatements.transferPublicSchema()] : []),
  ],
  canVacuumSharedCatalogs: true,
  canReadPasswords: true,
  canForceDrop: true,
  resetsPasswordsAtStart: true,
  isConnectRejection: () => false,
  findLostPrivileges: () => Promise.resolve(undefined),
  memberships: undefined,
  buildAllowOwningStatements: () => [],
  ignorePrivilegeErrors: (statement) => statement,
  // Signals the processes directly, because `pg_terminate_backend` needs a lock.
  terminateSessions: (pids) => {
    for (const pid of pids) sendSignal(pid, "SIGTERM");
    return Promise.resolve();
  },
  killProcesses: (pids) => {
    for (const pid of pids) sendSignal(pid, "SIGKILL");
  },
  readLimits: () => Promise.resolve(ownServerLimits),
  prepare: () => Promise.resolve([]),
});

/** Sends a signal to the process of a session. */
const sendSignal = (pid: number, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(pid, name);
  } catch {
    // The process has exited.
  }
};
