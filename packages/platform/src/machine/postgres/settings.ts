import type { Binaries } from "./binaries.js";
import { connectionLimits } from "@mgmt/cluster/policy/connection-limits";
import type { CopyMethod } from "./copy-method.js";
import { sharedMemoryType } from "./shared-memory.js";

/** Options on which the settings of the Postgres server depend. */
export interface SettingsOptions {
  port: number;
  /** Whether committed data must survive a power failure. False for data that is removed when the process ends. */
  isDurable: boolean;
  /** Directory with the control files of extensions, instead of the files of the installation. Default: none. */
  extensionDirectory?: string | undefined;
  /** How the files of databases are copied. Default: `copy`. */
  copyMethod?: CopyMethod | undefined;
  /** Settings instead of those below, by their names. Default: none. */
  otherSettings?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Returns the settings of the server as command-line parameters. They are passed on every start, so that an existing
 * cluster gets the settings of the current version of the platform.
 */
export const buildServerParameters = (
  { major }: Binaries,
  { port, isDurable, extensionDirectory, copyMethod, otherSettings }: SettingsOptions,
): string[] => {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: "127.0.0.1",
    // A name would precede the role in the titles of processes, by which the platform finds starting sessions.
    cluster_name: "",
    // A socket file costs half as much as loopback TCP. In the data directory, no other account reaches it, and it is removed with the
    // directory. The path is relative because it must not exceed 107 bytes.
    unix_socket_directories: ".",

    // Tenants cannot take the connections of the platform itself.
    max_connections: connectionLimits.total + connectionLimits.reserved,
    superuser_reserved_connections: connectionLimits.reserved,
    // A client without a password occupies a connection for this time. A slow machine needs seconds to check a password.
    authentication_timeout: "30s",
    // 64 MiB for the notification queue. All databases share it, and listeners that do not read fill it.
    ...(major >= 17 ? { max_notify_queue_pages: 8192 } : {}),
    shared_buffers: "64MB",
    huge_pages: "off",
    dynamic_shared_memory_type: sharedMemoryType,
    max_worker_processes: 2,
    max_parallel_workers_per_gather: 0,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    wal_level: "minimal",
    autovacuum_naptime: "5min",
    ...(major >= 18 ? { io_method: "sync" } : {}),

    // After a crash, one system call syncs all files. Only Linux has it.
    ...(process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {}),
    // Shows whether a recovery makes progress.
    ...(major >= 15 ? { log_startup_progress_interval: "2s" } : {}),

    fsync: isDurable ? "on" : "off",
    full_page_writes: isDurable ? "on" : "off",
    // Even without `fsync`, a commit survives a crash of Postgres.
    synchronous_commit: "on",
    min_wal_size: "8MB",
    max_wal_size: isDurable ? "256MB" : "64MB",
    // The limit per session, which tenants cannot change. Data that is not durable may be in memory: on a tmpfs.
    temp_file_limit: isDurable ? "10GB" : "1GB",

    ...(copyMethod === "clone" ? { file_copy_method: copyMethod } : {}),
    ...(extensionDirectory === undefined ? {} : { extension_control_path: `${extensionDirectory}:$system` }),

    password_encryption: "scram-sha-256",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    // Failed statements may contain secrets.
    log_min_error_statement: "panic",
    // So may the details of an error: the statement of a process that was killed, or values of a row.
    log_error_verbosity: "terse",
    log_line_prefix: "%m [%p] ",
    log_checkpoints: "off",
    ...otherSettings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${String(value)}`]);
};
