import type { Client } from "pg";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import { unreachableDatabaseError } from "../../errors/postgres-errors.js";
import {
  copyRejectedError,
  queryConnectionLostError,
  queryTimeoutError,
  statementFailedError,
} from "../../errors/query-errors.js";
import type { Context, GlobalFlags } from "../../input/context.js";
import type { Notice } from "../../output/messages.js";
import type { Output } from "../../output/output.js";
import { parseDuration } from "../../input/duration.js";
import { type DatabaseAccess, resolveDatabaseAccess } from "../../postgres/database-access.js";
import {
  CopyProtocolError,
  SingleStatement,
  StatementConnectionError,
} from "../../postgres/single-statement.js";
import { findProtection } from "../../profiles/protection.js";
import { throwIfInterrupted, waitForInterrupt } from "../../system/shared-interrupt.js";
import { assertColumns } from "./assert-columns.js";
import { readQueryInput } from "./read-sql.js";
import { renderCsv, renderJson, renderTable, toObjects } from "./render-rows.js";

export interface QueryFlags {
  /** Path of a file with the statement, or `-` for standard input. */
  readonly file?: string;
  /** The values of `$1`, `$2` and so on. */
  readonly param?: readonly string[];
  /** Whether the statement may change data. */
  readonly write?: boolean;
  /** How long the statement may take, with its unit. */
  readonly timeout?: string;
}

/** A statement that is run. */
interface QueryRequest {
  readonly sql: string;
  readonly values: readonly string[];
  readonly writes: boolean;
  readonly commitsInParts: boolean;
  /** The time as the user typed it, for messages. */
  readonly timeout: string | undefined;
  /** In milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** How much longer than its timeout a statement may take before this program stops waiting for the server, in milliseconds. */
const timeoutGraceMs = 5_000;
/** How long the server may take to report whether a canceled change was made, in milliseconds. */
const cancelAnswerMs = 3_000;
/** The code with which the server cancels a statement. */
const canceledState = "57014";

/** Runs one statement, and prints its rows. */
export const runQuery = async (
  args: readonly string[],
  { file, param: values = [], write: writes = false, timeout }: QueryFlags,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  context.output.assertPrintsLists();
  const timeoutMs = timeout === undefined ? undefined : Math.ceil(parseDuration(timeout, "--timeout"));
  const { databaseIdOrName, sql, commitsInParts } = await readQueryInput(args, file, values, context);
  const access = await resolveDatabaseAccess(databaseIdOrName, flags, context);
  if (writes) {
    await context.output.implicitSettings.announceForChange();
    await confirmWrite(access, flags, context);
  }
  const { createPostgresClient, cancelStatement } = await import("../../postgres/session.js");
  const client = createPostgresClient(access);
  const close = (): void => void client.connection.stream.destroy();
  const cancel = (): Promise<void> => cancelStatement(client).then(close);
  let closeTimer: NodeJS.Timeout | undefined;
  // The response of the server reports whether a change was made.
  const onInterrupt = (): void =>
    void (writes
      ? cancelStatement(client).then(() => (closeTimer = setTimeout(close, cancelAnswerMs)))
      : cancel());
  await connectClient(client, close, access, context);
  client.on("notice", ({ message }) => {
    if (message !== undefined) context.output.notice({ code: "query:notice", message });
  });
  context.signal.addEventListener("abort", onInterrupt, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(close, timeoutMs + timeoutGraceMs);
  try {
    await runInSession(
      client,
      { sql, values, writes, commitsInParts, timeout, timeoutMs },
      access,
      cancel,
      context,
    );
  } finally {
    clearTimeout(timer);
    clearTimeout(closeTimer);
    context.signal.removeEventListener("abort", onInterrupt);
    close();
  }
};

/** Asks only where it is protected: the user has typed the statement, and that it writes. */
const confirmWrite = async (access: DatabaseAccess, flags: GlobalFlags, context: Context): Promise<void> => {
  if (flags.confirm === undefined && findProtection(flags, context) === undefined) return;
  const { confirmDatabase } = await import("../../dumps/confirm-database-change.js");
  await confirmDatabase(`run the statement on database ${access.databaseId}`, access, flags, context);
};

const connectClient = async (
  client: Client,
  close: () => void,
  { databaseId }: DatabaseAccess,
  { signal }: Context,
): Promise<void> => {
  signal.addEventListener("abort", close, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
  } catch (error) {
    await throwIfInterrupted(signal);
    throw unreachableDatabaseError(databaseId, error instanceof Error ? error.message : String(error));
  } finally {
    signal.removeEventListener("abort", close);
  }
};

/** @param cancel cancels the statement on the server, and terminates the session. */
const runInSession = async (
  client: Client,
  query: QueryRequest,
  { databaseId }: DatabaseAccess,
  cancel: () => Promise<void>,
  context: Context,
): Promise<void> => {
  const { sql, values, writes, commitsInParts } = query;
  const { output, signal } = context;
  let isReaderGone = false;
  const readerGone = new Promise<void>((resolve) => {
    output.onReaderGone(() => {
      isReaderGone = true;
      resolve();
    });
  });
  const startTime = performance.now();
  const statement = new SingleStatement(sql, { values });
  let wasSent = false;
  try {
    const setupSql = getSetupSql(query);
    if (setupSql !== undefined) await client.query(setupSql);
    wasSent = true;
    client.query(statement);
    const printing = await Promise.race([printRows(statement, context), readerGone]).then(
      () => undefined,
      (error: unknown) => (isReaderGone ? undefined : { error }),
    );
    // The reader may have left before the last row, or the rows lack a field. A change is still made.
    if (writes) for await (const rows of statement.readPortions()) void rows;
    if (statement.isDone) announceEnd(statement, writes, output);
    if (printing) throw printing.error;
    if (!statement.isDone) return await cancel();
    await client.end();
    if (writes) signal.throwIfAborted();
  } catch (error) {
    if (error instanceof StatementConnectionError) await waitForInterrupt(signal);
    if (signal.aborted && writes && (isServerError(error) || statement.commandTag === undefined)) {
      const isUndone = !wasSent || (isServerError(error) && !commitsInParts);
      output.notice(createInterruptedQueryNotice(databaseId, isUndone));
    }
    signal.throwIfAborted();
    if (error instanceof CopyProtocolError) throw copyRejectedError();
    if (error instanceof StatementConnectionError) throw queryConnectionLostError(databaseId, writes);
    if (!isServerError(error)) throw error;
    const { timeout, timeoutMs = Infinity } = query;
    if (timeout !== undefined && error.code === canceledState && performance.now() - startTime >= timeoutMs)
      throw queryTimeoutError(timeout, writes, commitsInParts);
    throw statementFailedError(describeFailure(error), { sql, valueCount: values.length, writes });
  }
};

/** Prints the outcome of the statement. In a read-only transaction, the changes of a statement without rows are lost. */
const announceEnd = ({ commandTag, columns }: SingleStatement, writes: boolean, output: Output): void => {
  if (commandTag === undefined || (!writes && columns.length > 0)) return;
  const isLost = !writes && !commandTag.startsWith("SELECT");
  const message = isLost
    ? `${commandTag}, in a read-only transaction that was rolled back. Pass --write to keep what it does.`
    : commandTag;
  output.notice({ code: "query:done", message, command: commandTag });
};

/** @param isUndone whether it is known that a change was undone. */
const createInterruptedQueryNotice = (databaseId: string, isUndone: boolean): Notice => ({
  code: "query:interrupted",
  message: isUndone
    ? "The statement was canceled, and what it changed was undone."
    : `The statement may have taken effect or not: look at the data of database ${databaseId} before you run it again.`,
  databaseId,
});

/** Returns the SQL to run before the statement. A transaction can be made read-only only before its first query. */
const getSetupSql = ({ writes, timeoutMs }: QueryRequest): string | undefined => {
  const timeLimit = timeoutMs === undefined ? undefined : `statement_timeout = ${String(timeoutMs)}`;
  if (writes) return timeLimit && `SET ${timeLimit}`;
  return `BEGIN READ ONLY; ${timeLimit === undefined ? "" : `SET LOCAL ${timeLimit}; `}SELECT 1`;
};

const printRows = async (statement: SingleStatement, { output }: Context): Promise<void> => {
  const { format, presentation, isTerminal, tableWidth } = output;
  const selectsParts = presentation.fields !== undefined || presentation.query !== undefined;
  if (!selectsParts && format === "csv") return output.writeParts(renderCsv(statement, isTerminal), format);
  if (!selectsParts && format === "json") return output.writeParts(renderJson(statement), format);
  if (selectsParts || format !== "table")
    return output.writeList(
      assertColumns(toObjects(statement), statement, {
        fields: presentation.fields,
        printsIds: format === "name" && !selectsParts,
      }),
    );
  let isEmpty = true;
  const parts = renderTable(statement, await output.loadStyle(), tableWidth);
  const watchParts = async function* (): AsyncGenerator<string> {
    for await (const part of parts) {
      isEmpty = false;
      yield part;
    }
  };
  await output.writeParts(watchParts(), format);
  if (isEmpty && statement.columns.length > 0) output.info("No rows.");
};

/** An error that Postgres has sent. */
interface ServerError extends Error {
  readonly severity: unknown;
  readonly code?: unknown;
}

const isServerError = (error: unknown): error is ServerError => error instanceof Error && "severity" in error;

const describeFailure = (error: ServerError): Parameters<typeof statementFailedError>[0] => {
  const readText = (name: string): string | undefined => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const position = Number(readText("position"));
  return {
    message: error.message,
    sqlState: readErrorCode(error),
    detail: readText("detail"),
    hint: readText("hint"),
    position: position > 0 ? position : undefined,
  };
};
