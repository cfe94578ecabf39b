import { CliError } from "./cli-error.js";
import { findSqlStateHint } from "./sqlstate-hints.js";
import { missingInputError } from "./usage-errors.js";

/** @param word the only argument, which is taken for the name of a database. */
export const noStatementError = (word = ""): CliError =>
  missingInputError(
    word === "" ? "Missing the statement" : `Missing the statement for database ${word}`,
    "Pass SQL as the last argument, such as 'select 1', - for standard input, or --file PATH." +
      (word === "" ? "" : " One word is a statement if it ends with a semicolon."),
  );

/** @param problem what the text has instead of one statement. */
export const statementRejectedError = (problem: string, hint: string): CliError =>
  new CliError("usage", "query:refused", problem, hint);

/** `COPY` transfers its rows in a protocol of its own. */
export const copyRejectedError = (): CliError =>
  statementRejectedError(
    "COPY is not a query",
    "Use select with --output csv to get rows, or mgmt psql for \\copy.",
  );

/** @param subject what has the character. */
export const nulRejectedError = (subject: string): CliError =>
  statementRejectedError(
    `${subject} has a NUL character, which no text of Postgres can have`,
    "Nothing was sent. Remove it, or save a file that is UTF-16 as UTF-8.",
  );

/** @param words the first words of the statement. */
export const sessionStatementRejectedError = (words: readonly string[]): CliError =>
  statementRejectedError(
    `${words[0] === "create" ? "A temporary object" : (words[0] ?? "").toUpperCase()} has no effect here, because each query has a session of its own, which ends with it`,
    "Use mgmt psql for a session, or mgmt db seed --file PATH for several statements in one transaction. " +
      "A query with --write is committed by itself.",
  );

/** The fields of the error with which Postgres rejected a statement. */
export interface StatementFailure {
  readonly message: string;
  readonly sqlState: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** Place in the statement, in characters. The first is 1. */
  readonly position: number | undefined;
}

/** A change in a read-only transaction, and a statement such as VACUUM, which cannot run in any. */
const readOnlyStates: readonly (string | undefined)[] = ["25006", "25001"];
/** The protocol was violated, which a connection of our own does only with another number of parameters. */
const parameterCountState = "08P01";
/** The type of a parameter does not follow from the statement. */
const unknownTypeState = "42P18";

/**
 * Postgres has rejected a statement.
 *
 * @param sql the statement.
 * @param valueCount how many values it got.
 * @param writes whether it may change data.
 */
export const statementFailedError = (
  { message, sqlState, detail, hint, position }: StatementFailure,
  {
    sql,
    valueCount,
    writes,
  }: { readonly sql: string; readonly valueCount: number; readonly writes: boolean },
): CliError => {
  const count = `${String(valueCount)} ${valueCount === 1 ? "was" : "were"} passed`;
  const ownHint =
    readOnlyStates.includes(sqlState) && !writes
      ? "The query runs in a read-only transaction. Pass --write to change data."
      : sqlState === parameterCountState
        ? `Pass --param once for each of $1, $2 and so on in the statement, in this order: ${count}.`
        : sqlState === unknownTypeState
          ? "Give the parameter a type, such as $1::text."
          : undefined;
  const details = [
    ...(sqlState === undefined ? [] : [`SQLSTATE ${sqlState}`]),
    ...(position === undefined ? [] : [describePosition(sql, position)]),
    ...(detail === undefined ? [] : [detail.replace(/\.$/, "")]),
  ];
  return new CliError(
    "failure",
    "query:failed",
    details.length === 0 ? message : `${message} (${details.join("; ")})`,
    ownHint ?? hint ?? findSqlStateHint(sqlState, "") ?? "Correct the statement, and run the command again.",
  );
};

/** Postgres counts characters of Unicode. */
const describePosition = (sql: string, position: number): string => {
  const lines = [...sql]
    .slice(0, position - 1)
    .join("")
    .split("\n");
  return `line ${String(lines.length)}, column ${String([...(lines.at(-1) ?? "")].length + 1)}`;
};

/**
 * @param timeout as the user typed it.
 * @param commitsInParts whether a statement that is canceled may have changed something.
 */
export const queryTimeoutError = (timeout: string, writes: boolean, commitsInParts: boolean): CliError =>
  new CliError(
    "pending",
    "query:timeout",
    `The statement did not end within ${timeout}, and was canceled`,
    writes
      ? `${commitsInParts ? "It may have changed a part." : "What it changed was undone."} Pass a longer --timeout, or change less at once.`
      : "Pass a longer --timeout, or select less.",
  );

/** The connection was lost before the statement was done. */
export const queryConnectionLostError = (databaseId: string, writes: boolean): CliError =>
  new CliError(
    writes ? "pending" : "network",
    "query:connection_lost",
    `The connection to database ${databaseId} was lost before the statement was done`,
    writes
      ? "It may have taken effect or not: look at the data before you run it again."
      : "Run the command again.",
    { next: [["mgmt", "databases", "get", databaseId]] },
  );
