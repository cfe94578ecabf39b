import { CliError } from "./cli-error.js";
import { findSqlStateHint } from "./sqlstate-hints.js";
import { missingInputError } from "./usage-errors.js";

export const noStatementError = (): CliError =>
  missingInputError(
    "Missing the statement",
    "Pass SQL as the last argument, such as 'select 1', - for standard input, or --file PATH.",
  );

/** @param problem what the text has instead of one statement. */
export const statementRefusedError = (problem: string, hint: string): CliError =>
  new CliError("usage", "query:refused", problem, hint);

/** `COPY` transfers its rows in a protocol of its own. */
export const copyRefusedError = (): CliError =>
  statementRefusedError(
    "COPY is not a query",
    "Use select with --output csv to get rows, or mgmt psql for \\copy.",
  );

/** What Postgres says about a statement that it refused. */
export interface StatementFailure {
  readonly message: string;
  readonly sqlState: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** Place in the statement, in characters. The first is 1. */
  readonly position: number | undefined;
}

const readOnlyState = "25006";

/**
 * Postgres has refused a statement.
 *
 * @param sql the statement.
 * @param writes whether it may change data.
 */
export const statementFailedError = (
  { message, sqlState, detail, hint, position }: StatementFailure,
  sql: string,
  writes: boolean,
): CliError => {
  const facts = [
    ...(sqlState === undefined ? [] : [`SQLSTATE ${sqlState}`]),
    ...(position === undefined ? [] : [describePosition(sql, position)]),
    ...(detail === undefined ? [] : [detail.replace(/\.$/, "")]),
  ];
  return new CliError(
    "failure",
    "query:failed",
    facts.length === 0 ? message : `${message} (${facts.join("; ")})`,
    sqlState === readOnlyState && !writes
      ? "The query runs in a read-only transaction. Pass --write to change data."
      : (hint ?? findSqlStateHint(sqlState, "") ?? "Correct the statement, and run the command again."),
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

/** @param timeout as the user typed it. */
export const queryTimeoutError = (timeout: string, writes: boolean): CliError =>
  new CliError(
    "pending",
    "query:timeout",
    `The statement did not end within ${timeout}, and was canceled`,
    writes
      ? "What it changed was undone. Pass a longer --timeout, or change less at once."
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
