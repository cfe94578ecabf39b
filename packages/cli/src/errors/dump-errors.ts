import { describeCause, CliError } from "./cli-error.js";
import { findSqlStateHint } from "./sqlstate-hints.js";
import { usageError } from "./usage-errors.js";

const nothingChangedText = "Nothing was changed.";

/** @param hint how to make a file that can be read. */
export const unsupportedDumpError = (name: string, format: string, hint: string): CliError =>
  new CliError("usage", "db:unsupported_dump", `${name} is ${format}`, `${nothingChangedText} ${hint}`);

/** @param problem where it ends, or what is damaged. */
export const incompleteDumpError = (name: string, problem: string): CliError =>
  new CliError(
    "failure",
    "db:incomplete_dump",
    `${name} is not complete: ${problem}`,
    `${nothingChangedText} Make the dump again, or copy it again: the disk may have been full, or the connection may have been lost.`,
  );

/**
 * A script has a command of psql, some of which run programs on this machine.
 *
 * @param hint how to fix the problem.
 */
export const metaCommandError = (name: string, line: number, text: string, hint: string): CliError =>
  new CliError(
    "usage",
    "db:meta_command",
    `${name}:${String(line)} has a command of psql, which could run programs on this machine: ${text}`,
    `${nothingChangedText} ${hint}`,
  );

/** @param name the name of the dump in messages. */
export const dumpWithoutTablesError = (name: string): CliError =>
  new CliError(
    "usage",
    "db:rows_only",
    `--clean drops tables, and ${name} has only rows`,
    `${nothingChangedText} Leave --clean out to add the rows to those that tables have, or delete these first.`,
  );

/** A statement of an archive would end the transaction in which all of it is restored. */
export const transactionStatementError = (name: string): CliError =>
  new CliError(
    "usage",
    "db:own_transaction",
    `${name} has a statement that begins or ends a transaction, which pg_dump does not write`,
    `${nothingChangedText} Make the dump again with mgmt db dump.`,
  );

export const statementTooLongError = (name: string, line: number): CliError =>
  new CliError(
    "failure",
    "db:statement_too_long",
    `${name}:${String(line)}: the statement has more than 256 MiB`,
    `${nothingChangedText} Split it, or use COPY for many rows.`,
  );

export const uncopiedInputError = (cause: unknown): CliError =>
  new CliError(
    "failure",
    "file:unwritable",
    `Standard input cannot be copied to the folder for temporary files (${describeCause(cause)})`,
    `${nothingChangedText} Pass a file with --file PATH, or set TMPDIR to a folder with more space.`,
  );

/** @param path its name on the command line. */
export const notARegularFileError = (path: string): CliError =>
  usageError(
    `--file: ${path} is not a regular file`,
    "Pass a file, a folder that pg_dump --format=directory has written, or - for standard input: --file - < FILE",
  );

/** The effect of a failed script on the database, as far as it is known. */
export type ScriptEffect =
  /** It was one transaction, which was undone. */
  | "undone"
  /** It has transactions of its own. */
  | "partly_kept"
  /** The connection was lost while the transaction was committed. */
  | "unknown";

const effectHints: Record<ScriptEffect, (databaseId: string) => string> = {
  undone: (databaseId) => `Nothing was changed in database ${databaseId}.`,
  partly_kept: (databaseId) =>
    `The script has transactions of its own: database ${databaseId} keeps what it had committed before this line.`,
  unknown: (databaseId) =>
    `The connection was lost during the commit: look into database ${databaseId} to see whether it has the changes.`,
};

/** Hints for a failed script by SQLSTATE. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const hintsBySqlState: Readonly<Record<string, string>> = {
  "25001": "Run this statement by itself: it cannot be part of a transaction.",
  "42501": "A dump of another server can be restored if it was made with --no-owner --no-privileges.",
  "42704": "A dump of another server can be restored if it was made with --no-owner --no-privileges.",
  "42P07": "Restore into an empty database, or drop what is there first.",
  "42P06": "Restore into an empty database, or drop what is there first.",
  "42710": "Restore into an empty database, or drop what is there first.",
};

/** Why a statement failed: an error of the server or of the connection, or a change of strings that the script must not make. */
export interface StatementProblem {
  readonly message: string;
  /** SQLSTATE, or undefined if the server sent none, as when the connection was lost. */
  readonly sqlState: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
}

/**
 * @param scriptPosition name of the script and line: `seed.sql:2`.
 * @param replacementHint replaces the hint that helps after most scripts.
 */
export const scriptFailedError = (
  scriptPosition: string,
  { message, sqlState, detail, hint }: StatementProblem,
  databaseId: string,
  effect: ScriptEffect,
  replacementHint?: string,
): CliError => {
  const specificHint = replacementHint ?? hintsBySqlState[sqlState ?? ""];
  // The server's own hint has more detail about its limits.
  const mgmtHint = specificHint ?? (hint === undefined ? findSqlStateHint(sqlState, message) : undefined);
  const lines = [detail, hint, effectHints[effect](databaseId), mgmtHint];
  return new CliError(
    "failure",
    "db:statement_failed",
    `${scriptPosition}: ${message}${sqlState === undefined ? "" : ` (SQLSTATE ${sqlState})`}`,
    lines.filter((line) => line !== undefined).join(" "),
    { next: [["mgmt", "databases", "get", databaseId]] },
  );
};

/** @param line the line of the statement that opened the transaction, which may have more than one line. */
export const openTransactionError = (name: string, line: number, databaseId: string): CliError =>
  new CliError(
    "failure",
    "db:open_transaction",
    `${name} begins a transaction on line ${String(line)} or later and does not commit it`,
    `What it did there was undone in database ${databaseId}. Add COMMIT at the end.`,
  );
