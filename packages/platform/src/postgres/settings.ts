import type { Binaries } from "./binaries.js";

export interface ServerChoices {
  port: number;
  /** The data outlives the process, so it must survive a power failure, too. */
  durable: boolean;
}

/**
 * Given on the command line at each start, so that a kept cluster follows the platform's version.
 *
 * A durable server loses nothing that it has committed, as any Postgres; one that ends with its process writes nothing
 * through to the disk.
 */
export const serverParameters = ({ major }: Binaries, { port, durable }: ServerChoices): string[] => {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: "127.0.0.1",
    // TCP only: socket files have a limit of 107 bytes for their path and outlive a kill.
    unix_socket_directories: "",

    max_connections: 200,
    superuser_reserved_connections: 6,
    shared_buffers: "64MB",
    huge_pages: "off",
    // Files in the cluster: POSIX segments outlive a kill.
    dynamic_shared_memory_type: "mmap",
    max_worker_processes: 2,
    max_parallel_workers_per_gather: 0,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    wal_level: "minimal",
    autovacuum_naptime: "5min",
    ...(major >= 18 ? { io_method: "sync" } : {}),

    fsync: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
    synchronous_commit: durable ? "on" : "off",
    min_wal_size: "8MB",
    max_wal_size: durable ? "256MB" : "64MB",

    password_encryption: "scram-sha-256",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    // A failed statement may hold a secret.
    log_min_error_statement: "panic",
    log_line_prefix: "%m [%p] ",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${String(value)}`]);
};
