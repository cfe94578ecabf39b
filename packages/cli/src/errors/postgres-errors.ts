import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { causeText, CliError } from "./cli-error.js";

/** A program of Postgres that was found, or a server. */
interface Versioned {
  readonly version: string;
  readonly major: number;
}

/** @param newest The newest program of this name that the machine has. */
export const clientTooOld = (
  newest: Versioned & { readonly name: string; readonly path: string },
  server: Versioned,
): CliError =>
  new CliError(
    "failure",
    "program:too_old",
    `${newest.path} is version ${newest.version}, which is older than the database's Postgres ${server.version}`,
    `Install the client programs of Postgres ${String(server.major)} or newer (Debian and Ubuntu: postgresql-client-${String(server.major)} ` +
      `from apt.postgresql.org; Homebrew: libpq). ${newest.name} is looked for in PATH first.`,
  );

/**
 * @param name Id of the database, or the address of another server.
 * @param problem What psql said.
 */
export const unreachableDatabase = (name: string, problem: string): CliError =>
  new CliError(
    "network",
    "database:unreachable",
    `Database ${name} cannot be used: ${problem}`,
    name.startsWith(idPrefixes.database)
      ? "Check that this machine can connect to it."
      : "Check that this machine can connect to it with the connection string. Without an sslmode in it, a connection to another " +
          "machine uses TLS; sslmode=disable allows one without.",
    name.startsWith(idPrefixes.database)
      ? { next: [["mgmt", "databases", "get", name]] }
      : { next: [["mgmt", "db", "import", "--help"]] },
  );

/** @param said What the program wrote to standard error. */
export const clientFailed = (program: string, said: string): CliError => {
  const lines = said.split("\n").map((line) => line.trim());
  const problem =
    lines.find((line) => /\berror:/i.test(line)) ?? lines.find((line) => line !== "") ?? "no reason given";
  return new CliError(
    "failure",
    "program:failed",
    `${program} failed: ${problem.replace(new RegExp(`^${program}: (error: )?`), "")}`,
  );
};

/** @param suggestsClean Whether dropping what the database has first would help. */
export const restoreFailed = (error: unknown, databaseId: string, suggestsClean: boolean): unknown =>
  error instanceof CliError && error.code === "program:failed"
    ? new CliError(
        error.reason,
        error.code,
        error.message,
        `Nothing was changed in database ${databaseId}.` +
          (suggestsClean ? " If it already has what the dump has, pass --clean to drop that first." : ""),
        { next: [["mgmt", "databases", "get", databaseId]] },
      )
    : error;

/** Adds to the failure of a dump of some tables how they are named. */
export const tableDumpFailed = (error: unknown): unknown =>
  error instanceof CliError && error.code === "program:failed"
    ? new CliError(
        error.reason,
        error.code,
        error.message,
        "--table takes names as the database has them, with capital letters: User, or sales.User in another schema. Check that " +
          "each table exists.",
      )
    : error;

export const dumpFileExists = (file: string): CliError =>
  new CliError(
    "usage",
    "file:exists",
    `${file} exists already`,
    "It was not changed. Delete it first, or pass another path with --file.",
  );

export const unwritableDump = (file: string, cause: unknown): CliError =>
  new CliError(
    "failure",
    "file:unwritable",
    `${file} cannot be written (${causeText(cause)})`,
    "Pass another path with --file.",
  );

export const notADump = (file: string): CliError =>
  new CliError("usage", "db:empty_dump", `${file} is empty`, "Nothing was changed. Pass a dump with --file.");
