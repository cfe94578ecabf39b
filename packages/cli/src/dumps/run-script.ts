import { readErrorCode } from "@mgmt/internal/errors/error-code";
import {
  incompleteDumpError,
  metaCommandError,
  openTransactionError,
  scriptFailedError,
  type ScriptEffect,
  type StatementProblem,
  statementTooLongError,
  transactionStatementError,
} from "../errors/dump-errors.js";
import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import type { StatementAdapter } from "./replacing-adapter.js";
import type { DumpInput } from "./dump-input.js";
import { openSession } from "../postgres/session.js";
import { type ScriptPart, type ScriptStatement, splitScript, StatementTooLongError } from "./sql-script.js";

/** The properties of a script that are known before it runs. */
export interface ScriptInfo {
  /** Whether it is the output of pg_dump, which is known to be complete by its last line. */
  readonly isDump: boolean;
  /** Line of the first statement that begins or ends a transaction. */
  readonly firstTransactionLine: number | undefined;
}

/** How a script is run. */
export interface ScriptOptions {
  /** Whether a program writes the script while it runs, so that its line numbers are of no use to the user. Default: false. */
  readonly isProgramOutput?: boolean;
  /** Changes statements. Default: they run as they are. */
  readonly adapt?: StatementAdapter;
  /** Returns the hint for a SQLSTATE, which replaces the hint for any statement. */
  readonly getHint?: (sqlState: string) => string | undefined;
}

/** The first and the last line of each database in the output of pg_dump and pg_dumpall. */
const dumpStartPattern = /^PostgreSQL database( cluster)? dump$/;
const dumpEndPattern = /^PostgreSQL database( cluster)? dump complete$/;

/**
 * Reads a script to its end before any of it runs.
 *
 * @param hint how to avoid commands of psql, none of which run.
 * @throws `db:meta_command`, `db:incomplete_dump`, `db:statement_too_long`.
 */
export const scanScript = async (
  { name, readContents }: DumpInput,
  hint: string,
  signal: AbortSignal,
): Promise<ScriptInfo> => {
  let [dumpStartCount, dumpEndCount] = [0, 0];
  let firstTransactionLine: number | undefined;
  for await (const part of translateSplitErrors(name, splitScript(readContents()))) {
    signal.throwIfAborted();
    if (part.kind === "meta-command" && !isRestrictCommand(part.text)) {
      throw metaCommandError(name, part.line, part.text.slice(0, 40), hint);
    }
    if (part.kind === "unfinished") {
      throw incompleteDumpError(
        name,
        `it ends in the middle of ${part.construct}, which begins on line ${String(part.line)}`,
      );
    }
    if (part.kind === "comment") {
      if (dumpStartPattern.test(part.text)) dumpStartCount += 1;
      if (dumpEndPattern.test(part.text)) dumpEndCount += 1;
    }
    if (part.kind !== "statement" || !controlsTransaction(part)) continue;
    if (dumpStartCount === 0 || !isLargeObjectTransaction(part)) firstTransactionLine ??= part.line;
  }
  if (dumpStartCount > dumpEndCount) throw incompleteDumpError(name, missingLastLineText);
  return { isDump: dumpStartCount > 0, firstTransactionLine };
};

const missingLastLineText = "its last line is missing, which says that the dump is complete";

/** Meta-commands that pg_dump writes around a dump, so that psql runs no other meta-command in it. Here, no meta-command runs at all. */
const isRestrictCommand = (text: string): boolean => /^\\(un)?restrict [0-9A-Za-z]+$/.test(text);

/** Returns whether a statement begins or ends a transaction. Source: https://www.postgresql.org/docs/current/sql-commands.html */
const controlsTransaction = ({
  words: [firstWord = "", secondWord, thirdWord],
}: ScriptStatement): boolean => {
  if (firstWord === "rollback") return secondWord !== "to" && thirdWord !== "to";
  if (firstWord === "prepare" || firstWord === "start") return secondWord === "transaction";
  return ["begin", "commit", "end", "abort"].includes(firstWord);
};

/** pg_dump writes large objects between these, which are not needed where all of the dump is one transaction. */
const isLargeObjectTransaction = ({ bytes }: ScriptStatement): boolean =>
  bytes.length < 10 && /^(?:BEGIN|COMMIT);$/.test(Buffer.from(bytes).toString());

const translateSplitErrors = async function* (
  name: string,
  scriptParts: AsyncIterable<ScriptPart>,
): AsyncGenerator<ScriptPart> {
  try {
    yield* scriptParts;
  } catch (error) {
    throw error instanceof StatementTooLongError ? statementTooLongError(name, error.line) : error;
  }
};

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Runs a script in one transaction, or in its own ones if it has some. The transaction is committed after the last statement, so
 * that a process that is killed on the way leaves nothing.
 *
 * @throws `db:statement_failed`, `db:open_transaction`, `database:unreachable`; for a script that was not examined before,
 *   `db:meta_command`, `db:incomplete_dump`, and `db:own_transaction`.
 */
export const runScript = async (
  { name, readContents }: Pick<DumpInput, "name" | "readContents">,
  { isDump, firstTransactionLine }: ScriptInfo,
  access: DatabaseAccess,
  context: Pick<Context, "signal">,
  { isProgramOutput = false, adapt = ({ bytes }) => bytes, getHint }: ScriptOptions = {},
): Promise<void> => {
  const { databaseId } = access;
  const session = await openSession(access, context);
  let effect: ScriptEffect = firstTransactionLine === undefined ? "undone" : "partly_kept";
  let currentStatement: ScriptStatement | undefined;
  try {
    if (firstTransactionLine === undefined) await session.run(encodeText("begin"));
    let transactionStartLine = 1;
    // A script that was examined is.
    let isComplete = !isProgramOutput;
    for await (const part of translateSplitErrors(
      name,
      splitScript(readContents(), session.hasStandardStrings),
    )) {
      if (part.kind === "statement") {
        if (
          isDump &&
          (isNewTimeoutSetting(part) ||
            (firstTransactionLine === undefined && isLargeObjectTransaction(part)))
        )
          continue;
        if (firstTransactionLine === undefined && controlsTransaction(part)) {
          if (isProgramOutput) throw transactionStatementError(name);
          throw scriptFailedError(`${name}:${String(part.line)}`, changedStringsProblem, databaseId, effect);
        }
        const bytes = adapt(part);
        if (!bytes) continue;
        currentStatement = part;
        const wasInTransaction = session.isInTransaction();
        const response = await session.run(bytes);
        if (!wasInTransaction) transactionStartLine = part.line;
        if ((response === "copy") !== part.isCopyFromStdin)
          throw new Error("The server and the script disagree about a COPY");
        if (firstTransactionLine === undefined && !session.isInTransaction()) effect = "partly_kept";
      } else if (part.kind === "rows") {
        await session.sendRows(part.bytes);
      } else if (part.kind === "rows-end") {
        await session.endRows();
      } else if (part.kind === "comment") {
        isComplete ||= dumpEndPattern.test(part.text);
      } else if (part.kind === "unfinished" && isProgramOutput) {
        throw incompleteDumpError(name, `it ends in the middle of ${part.construct}`);
      } else if (part.kind === "meta-command" && isProgramOutput && !isRestrictCommand(part.text)) {
        throw metaCommandError(name, part.line, part.text.slice(0, 40), "pg_dump writes none.");
      } else if (part.kind === "unfinished" || !isRestrictCommand(part.text)) {
        throw scriptFailedError(`${name}:${String(part.line)}`, changedStringsProblem, databaseId, effect);
      }
    }
    if (!isComplete) throw incompleteDumpError(name, missingLastLineText);
    if (firstTransactionLine !== undefined) {
      if (session.isInTransaction()) throw openTransactionError(name, transactionStartLine, databaseId);
      return;
    }
    if (effect === "undone") effect = "unknown";
    await session.run(encodeText("commit"));
  } catch (error) {
    context.signal.throwIfAborted();
    const problem = findStatementProblem(error);
    if (!problem) throw error;
    // The server has rejected the commit, and has undone the transaction.
    if (effect === "unknown" && problem.sqlState !== undefined) effect = "undone";
    const line = currentStatement ? findErrorLine(currentStatement, error) : 1;
    const scriptPosition = isProgramOutput ? name : `${name}:${String(line)}`;
    const hint = problem.sqlState === undefined ? undefined : getHint?.(problem.sqlState);
    throw scriptFailedError(scriptPosition, problem, databaseId, effect, hint);
  } finally {
    await session.close();
  }
};

/** The problem of a script that is split differently while it runs than before, because of itself or a setting of its role. */
const changedStringsProblem: StatementProblem = {
  message: "standard_conforming_strings is off, so that strings of the script end elsewhere",
  sqlState: undefined,
  detail: undefined,
  hint: undefined,
};

/** Returns whether pg_dump 17 and newer write a statement that older servers do not know. It sets the default value. */
const isNewTimeoutSetting = ({ bytes }: ScriptStatement): boolean =>
  bytes.length < 64 && Buffer.from(bytes).toString() === "SET transaction_timeout = 0;";

/** Returns the message of the server or the network; undefined for an error of this program. */
const findStatementProblem = (error: unknown): StatementProblem | undefined => {
  if (!(error instanceof Error)) return undefined;
  const readField = (key: string): string | undefined => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const isServerError = readField("severity") !== undefined;
  const isNetworkError =
    /^Connection terminated/.test(error.message) || /^E[A-Z]+$/.test(readErrorCode(error) ?? "");
  if (!isServerError && !isNetworkError) return undefined;
  const sqlState = isServerError ? readField("code") : undefined;
  return { message: error.message, sqlState, detail: readField("detail"), hint: readField("hint") };
};

/** Returns the line of a statement on which the server found an error. */
const findErrorLine = ({ bytes, line }: ScriptStatement, error: unknown): number => {
  const position = error instanceof Error ? Number(Reflect.get(error, "position")) : Number.NaN;
  if (!Number.isInteger(position)) return line;
  const precedingCharacters = [...Buffer.from(bytes).toString("utf8")].slice(0, position - 1);
  return line + precedingCharacters.filter((character) => character === "\n").length;
};
