import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { causeText, CliError } from "./cli-error.js";
import { type ClientMessage, readClientMessage } from "./client-messages.js";
import { hintFor, isDuplicate } from "./sqlstate-hints.js";

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
 * @param stderr The message of psql.
 */
export const unreachableDatabase = (name: string, stderr: string): CliError => {
  const message = readClientMessage("psql", stderr);
  const hint = hintFor(message.sqlState, stderr);
  const isOwn = name.startsWith(idPrefixes.database);
  return new CliError(
    "network",
    "database:unreachable",
    `Database ${name} cannot be used: ${textOf(message)}`,
    message.advice ??
      hint ??
      (isOwn
        ? "Check that this machine can connect to it."
        : "Check that this machine can connect to it with the connection string."),
    { next: [isOwn ? ["mgmt", "databases", "get", name] : ["mgmt", "db", "import", "--help"]] },
  );
};

/** A client program of Postgres failed. */
class ClientFailure extends CliError {
  constructor(
    readonly sqlState: string | undefined,
    ...args: ConstructorParameters<typeof CliError>
  ) {
    super(...args);
  }
}

/** @param stderr The program's standard error. */
export const clientFailed = (program: string, stderr: string): CliError => {
  const message = readClientMessage(program, stderr);
  return new ClientFailure(
    message.sqlState,
    "failure",
    "program:failed",
    `${program} failed: ${textOf(message)}`,
    message.advice ??
      hintFor(message.sqlState, stderr) ??
      "Correct what the message names, and run the command again.",
    { next: [["mgmt", "db", "--help"]] },
  );
};

const textOf = ({ problem, detail }: ClientMessage): string =>
  detail === undefined ? problem : `${problem} (${detail.replace(/\.$/, "")})`;

/** @param stderr The program's standard error until then. */
export const clientKilled = (program: string, signal: NodeJS.Signals, stderr: string): CliError =>
  new ClientFailure(
    undefined,
    "failure",
    "program:killed",
    `${program} was ended by ${signal}${stderr.trim() === "" ? "" : `, after it said: ${readClientMessage(program, stderr).problem}`}`,
    signal === "SIGKILL"
      ? "The system ends programs when it has no memory left, and so can a person or a limit of the container."
      : "Another program or a person ended it, or it crashed. Run the command again.",
    { next: [["mgmt", "db", "--help"]] },
  );

/** @param suggestsClean Whether dropping existing objects first would help, if the database has objects of the dump. */
export const restoreFailed = (error: unknown, databaseId: string, suggestsClean: boolean): unknown => {
  if (!(error instanceof ClientFailure)) return error;
  const hint =
    suggestsClean && isDuplicate(error.sqlState)
      ? "It already has what the dump has: pass --clean to drop that first."
      : error.hint;
  return new CliError(
    error.reason,
    error.code,
    error.message,
    [`Nothing was changed in database ${databaseId}.`, hint].filter(Boolean).join(" "),
    { next: [["mgmt", "databases", "get", databaseId]] },
  );
};

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
