import { queryFailedError, queryRejectedError } from "../../errors/mcp-errors.js";
import { toUniqueNames } from "../../postgres/column-names.js";
import { fetchDatabaseAccess } from "../../postgres/database-access.js";
import { CopyProtocolError, SingleStatement, type TextRow } from "../../postgres/single-statement.js";
import type { ServerContext } from "../server-context.js";
import { remainingMs, type ToolArguments, type ToolCall, type ToolResult } from "../tool.js";

/** Maximum number of rows of a result. */
const maxRows = 100;
/** Maximum size of all rows of a result, as JSON. */
const maxResultBytes = 20_000;
/** How many bytes the server may send for one query. Larger than the result, because a row always arrives complete. */
const maxReceivedBytes = 8 * 2 ** 20;
const statementTimeoutMs = 15_000;

/** Runs one statement in a transaction that cannot write, and returns the first rows. */
export const runQuery = async (
  { databaseId, sql }: ToolArguments,
  call: Pick<ToolCall, "signal" | "deadlineMs">,
  server: ServerContext,
): Promise<ToolResult> => {
  const { session, scope, context } = server;
  const id = String(databaseId);
  // Postgres would read the statement only up to this character.
  if (String(sql).includes("\0"))
    throw queryRejectedError("sql has the character U+0000", "Remove it: Postgres has no text with it.");
  await scope.assertInProject("database", id, call.signal);
  const client = await session.getClient();
  // In CI, the context would print the password as a command for the log.
  const access = await fetchDatabaseAccess(id, client, { ...context, env: {}, signal: call.signal });
  server.redactor.addSecret(access.password);
  server.redactor.addSecret(access.url);
  const { createPostgresClient } = await import("../../postgres/session.js");
  const postgres = createPostgresClient(access);
  const limits = AbortSignal.any([
    call.signal,
    AbortSignal.timeout(Math.min(statementTimeoutMs + 5_000, remainingMs(call))),
  ]);
  const close = (): void => void postgres.connection.stream.destroy();
  limits.addEventListener("abort", close, { once: true });
  try {
    await postgres.connect();
    let received = 0;
    postgres.connection.stream.on("data", (data: Buffer) => {
      received += data.length;
      if (received > maxReceivedBytes) close();
    });
    // After its first query, a transaction cannot stop being read-only.
    await postgres.query(
      `BEGIN READ ONLY; SET LOCAL statement_timeout = ${String(statementTimeoutMs)}; SELECT 1`,
    );
    const statement = new SingleStatement(String(sql), { maxRows: maxRows + 1 });
    postgres.query(statement);
    const rows: TextRow[] = [];
    for await (const portion of statement.readPortions()) rows.push(...portion);
    const isCut = statement.isCut || rows.length > maxRows;
    return toResult(toUniqueNames(statement.columns), rows.slice(0, maxRows), isCut);
  } catch (error) {
    call.signal.throwIfAborted();
    throw toQueryError(error);
  } finally {
    limits.removeEventListener("abort", close);
    // Ends the transaction, and undoes what a function of the database may have done in the session.
    close();
  }
};

const toResult = (names: readonly string[], rows: readonly TextRow[], isCut: boolean): ToolResult => {
  const maxValueLength = Math.max(16, Math.floor(maxResultBytes / 2 / Math.max(1, names.length)));
  const items: Record<string, string | null>[] = [];
  let bytes = 0;
  let hasCutValue = false;
  for (const row of rows) {
    const item = Object.fromEntries(
      row.map((value, index) => {
        const isLong = value !== null && value.length > maxValueLength;
        hasCutValue ||= isLong;
        return [names[index] ?? "", isLong ? `${value.slice(0, maxValueLength)}…` : value];
      }),
    );
    bytes += JSON.stringify(item).length;
    if (bytes > maxResultBytes && items.length > 0) break;
    items.push(item);
  }
  return { columns: names, rows: items, truncated: isCut || hasCutValue || items.length < rows.length };
};

const toQueryError = (error: unknown): unknown => {
  if (error instanceof CopyProtocolError) return queryRejectedError("COPY returns no rows", "Use SELECT.");
  if (!(error instanceof Error) || !("severity" in error)) {
    return error instanceof Error && "reason" in error
      ? error
      : queryRejectedError(
          "The query ended without a result: it took too long, or its result is too large",
          `Select fewer columns or rows. A query may take ${String(statementTimeoutMs / 1_000)} seconds.`,
        );
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return queryFailedError(code, error.message);
};
