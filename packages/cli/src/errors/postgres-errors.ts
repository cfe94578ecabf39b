import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { describeCause, CliError } from "./cli-error.js";
import { type PostgresProgramError, parsePostgresError } from "./parse-postgres-error.js";
import { findSqlStateHint } from "./sqlstate-hints.js";

/** A program of Postgres that was found, or a server. */
interface VersionedProgram {
  readonly version: string;
  readonly major: number;
}

/** @param newestClient the newest program of this name that the machine has. */
export const clientTooOldError = (
  newestClient: VersionedProgram & { readonly name: string; readonly path: string },
  server: VersionedProgram,
): CliError =>
  new CliError(
    "failure",
    "program:too_old",
    `${newestClient.path} is version ${newestClient.version}, which is older than the database's Postgres ${server.version}`,
    `Install the client programs of Postgres ${String(server.major)} or newer (Debian and Ubuntu: postgresql-client-${String(server.major)} ` +
      `from apt.postgresql.org; Homebrew: libpq). ${newestClient.name} is looked for in PATH first.`,
  );

/**
 * @param name id of the database, or the address of another server.
 * @param stderr the message of psql.
 */
export const unreachableDatabaseError = (name: string, stderr: string): CliError => {
  const message = parsePostgresError("psql", stderr);
  const hint = findSqlStateHint(message.sqlState, stderr);
  const isOfService = name.startsWith(idPrefixes.database);
  return new CliError(
    "network",
    "database:unreachable",
    `Database ${name} cannot be used: ${formatErrorText(message)}`,
    message.hint ??
      hint ??
      (isOfService
        ? "Check that this machine can connect to it."
        : "Check that this machine can connect to it with the connection string."),
    { next: [isOfService ? ["mgmt", "databases", "get", name] : ["mgmt", "db", "import", "--help"]] },
  );
};

/** A client program of Postgres failed. */
class ClientFailedError extends CliError {}

/** @param stderr the program's standard error. */
export const clientFailedError = (program: string, stderr: string): CliError => {
  const message = parsePostgresError(program, stderr);
  return new ClientFailedError(
    "failure",
    "program:failed",
    `${program} failed: ${formatErrorText(message)}`,
    message.hint ??
      findSqlStateHint(message.sqlState, stderr) ??
      "Correct what the message names, and run the command again.",
    { next: [["mgmt", "db", "--help"]] },
  );
};

const formatErrorText = ({ problem, detail }: PostgresProgramError): string =>
  detail === undefined ? problem : `${problem} (${detail.replace(/\.$/, "")})`;

/** @param stderr the program's standard error until then. */
export const clientKilledError = (program: string, signal: NodeJS.Signals, stderr: string): CliError =>
  new ClientFailedError(
    "failure",
    "program:killed",
    `${program} was ended by ${signal}${stderr.trim() === "" ? "" : `, after it said: ${parsePostgresError(program, stderr).problem}`}`,
    signal === "SIGKILL"
      ? "The system ends programs when it has no memory left, and so can a person or a limit of the container."
      : "Another program or a person ended it, or it crashed. Run the command again.",
    { next: [["mgmt", "db", "--help"]] },
  );

/** Adds to the failure of a program whose output was run that nothing was changed. */
export const restoreFailedError = (error: unknown, databaseId: string): unknown => {
  if (!(error instanceof ClientFailedError)) return error;
  return new CliError(
    error.reason,
    error.code,
    error.message,
    [`Nothing was changed in database ${databaseId}.`, error.hint].filter(Boolean).join(" "),
    { next: [["mgmt", "databases", "get", databaseId]] },
  );
};

/** Adds to the failure of a dump of some tables how they are named. */
export const tableDumpFailedError = (error: unknown): unknown =>
  error instanceof CliError && error.code === "program:failed"
    ? new CliError(
        error.reason,
        error.code,
        error.message,
        "--table takes names as the database has them, with capital letters: User, or sales.User in another schema. Check that " +
          "each table exists.",
      )
    : error;

export const dumpFileExistsError = (path: string): CliError =>
  new CliError(
    "usage",
    "file:exists",
    `${path} exists already`,
    "It was not changed. Delete it first, or pass another path with --file.",
  );

export const unwritableDumpError = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "file:unwritable",
    `${file} cannot be written (${describeCause(cause)})`,
    "Pass another path with --file.",
  );

export const emptyDumpError = (path: string): CliError =>
  new CliError("usage", "db:empty_dump", `${path} is empty`, "Nothing was changed. Pass a dump with --file.");
