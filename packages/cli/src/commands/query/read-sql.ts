import {
  copyRejectedError,
  nulRejectedError,
  noStatementError,
  sessionStatementRejectedError,
  statementRejectedError,
} from "../../errors/query-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { splitScript } from "../../dumps/sql-script.js";
import type { Context } from "../../input/context.js";
import { stripByteOrderMark } from "../../text/byte-order-mark.js";

/** The SQL to run, and the database to run it in. */
export interface QueryInput {
  /** Undefined means the default database. */
  readonly databaseIdOrName: string | undefined;
  readonly sql: string;
  /** Whether the statement may commit some of its changes, which then remain if it fails later. */
  readonly commitsInParts: boolean;
}

/**
 * Reads the statement, and checks that it is one. The server accepts nothing else either; here, it is clear why.
 *
 * @param file path, or `-` for standard input. Default: the last argument is the statement, or `-`.
 * @param values values of the parameters.
 * @throws `usage:missing`, `usage:invalid`, `usage:not_utf8`, and `query:refused`.
 */
export const readQueryInput = async (
  args: readonly string[],
  file: string | undefined,
  values: readonly string[],
  { sources, signal }: Pick<Context, "sources" | "signal">,
): Promise<QueryInput> => {
  if (file !== undefined && (args.length > 1 || startsStatement(args[0])))
    throw usageError("--file and a statement cannot be used together", "Pass one of them.");
  const databaseIdOrName = file === undefined ? args.at(-2) : args[0];
  const argument = file === undefined ? args.at(-1) : undefined;
  if (file === undefined && !argument) throw noStatementError();
  if (args.length === 1 && argument !== undefined && isNameLike(argument)) throw noStatementError(argument);
  const path = file ?? (argument === "-" ? "-" : undefined);
  const text =
    path === undefined ? (argument ?? "") : await sources.read(path, file === undefined ? "<sql>" : "--file");
  const sql = stripByteOrderMark(text);
  // Postgres would read the text up to it, and break the connection.
  if (sql.includes("\0")) throw nulRejectedError("The statement");
  for (const [index, value] of values.entries())
    if (value.includes("\0")) throw nulRejectedError(`The value of $${String(index + 1)}`);
  const words = await readFirstWords(sql, signal);
  const commitsInParts = partWords.has(words[0] ?? "") || /\bconcurrently\b/i.test(sql);
  return { databaseIdOrName, sql, commitsInParts };
};

/** Statements that can be one word, which a database could also be named. */
const oneWordStatements: ReadonlySet<string> = new Set([
  ...["abort", "analyze", "begin", "checkpoint", "cluster"],
  ...["commit", "end", "rollback", "select", "vacuum"],
]);

/** Whether an argument may be the name of a database whose statement was left out. */
const isNameLike = (argument: string): boolean =>
  argument !== "-" && /^[\w./-]*$/.test(argument) && !oneWordStatements.has(argument.toLowerCase());

/** Whether an argument is a statement rather than the name of a database, which may have spaces. */
const startsStatement = (argument = ""): boolean =>
  /^[\s(]*(?:--.*\n|\/\*|(?:alter|call|create|delete|drop|explain|grant|insert|merge|refresh|revoke|select|show|table|truncate|update|values|with)\b(?=[\s(]))/i.test(
    argument,
  ) || oneWordStatements.has(argument.toLowerCase().replace(/;?\s*$/, ""));

/** Returns the first words of the only statement. Throws `usage:missing` and `query:refused` for anything else. */
const readFirstWords = async (sql: string, signal: AbortSignal): Promise<readonly string[]> => {
  let count = 0;
  let firstWords: readonly string[] = [];
  for await (const part of splitScript(toChunks(sql))) {
    signal.throwIfAborted();
    if (part.kind === "meta-command")
      throw statementRejectedError(
        "The text has a command of psql, which is not SQL",
        "Use mgmt psql for commands such as \\d.",
      );
    // The server explains the rest.
    if (part.kind === "unfinished") return [];
    if (part.kind !== "statement") continue;
    if (part.words[0] === "copy") throw copyRejectedError();
    if (count === 0) firstWords = part.words;
    count += 1;
  }
  if (count === 0) throw noStatementError();
  if (count > 1) {
    throw statementRejectedError(
      `The text has ${String(count)} statements, and a query is one`,
      "Pass one statement. mgmt db seed --file PATH runs several.",
    );
  }
  if (concernsSession(firstWords)) throw sessionStatementRejectedError(firstWords);
  return firstWords;
};

/** First words of statements that commit a part, or run code that can. */
const partWords: ReadonlySet<string> = new Set(["analyze", "call", "cluster", "do", "reindex", "vacuum"]);

/** First words of statements that only change the session, or the transaction, in which they run. */
const sessionWords: ReadonlySet<string> = new Set([
  ...["abort", "begin", "commit", "deallocate", "declare", "discard", "end", "listen", "load", "lock"],
  ...["prepare", "release", "reset", "rollback", "savepoint", "set", "start", "unlisten"],
]);

/** Whether a statement has no effect, because a query has a session of its own. */
const concernsSession = (words: readonly string[]): boolean => {
  if (/^create (?:or replace )?(?:local|global|temp|temporary)\b/.test(words.join(" "))) return true;
  const [first = "", second = ""] = words;
  // A transaction that another session has prepared.
  return sessionWords.has(first) && !(["commit", "rollback"].includes(first) && second === "prepared");
};

const toChunks = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
};
