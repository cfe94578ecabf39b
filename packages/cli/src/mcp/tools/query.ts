import type { Connection as PgConnection, FieldDef, Submittable } from "pg";
import { queryFailedError, queryRefusedError } from "../../errors/mcp-errors.js";
import { fetchDatabaseAccess } from "../../postgres/database-access.js";
import type { ServerContext } from "../server-context.js";
import { remainingMs, type ToolArguments, type ToolCall, type ToolResult } from "../tool.js";

const maxRows = 100;
/** Of all rows of a result, as JSON. */
const maxResultBytes = 20_000;
/** What the server may send for one query. A row arrives as a whole. */
const maxReceivedBytes = 8 * 2 ** 20;
const statementTimeoutMs = 15_000;

/** Runs one statement in a transaction that cannot write, and returns the first rows. */
export const runQuery = async (
  { databaseId, sql }: ToolArguments,
  call: Pick<ToolCall, "signal" | "endsAt">,
  server: ServerContext,
): Promise<ToolResult> => {
  const { session, scope, context } = server;
  const id = String(databaseId);
  await scope.assertInside("database", id, call.signal);
  const client = await session.client();
  // In CI, the context would print the password as a command for the log.
  const access = await fetchDatabaseAccess(id, client, { ...context, env: {}, signal: call.signal });
  server.redactor.learnSecret(access.password);
  server.redactor.learnSecret(access.url);
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
    // The first query of a transaction fixes that it is read-only.
    await postgres.query(
      `BEGIN READ ONLY; SET LOCAL statement_timeout = ${String(statementTimeoutMs)}; SELECT 1`,
    );
    const statement = new ReadStatement(String(sql));
    postgres.query(statement);
    const { columns, rows, isCut } = await statement.result;
    return toResult(columns, rows, isCut);
  } catch (error) {
    call.signal.throwIfAborted();
    throw toQueryError(error);
  } finally {
    limits.removeEventListener("abort", close);
    // Ends the transaction, and undoes what a function of the database may have done in the session.
    close();
  }
};

const toResult = (
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  isCut: boolean,
): ToolResult => {
  const names = columns.map((name, index) =>
    columns.indexOf(name) === index ? name : `${name}_${String(index + 1)}`,
  );
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
  if (!(error instanceof Error) || !("severity" in error)) {
    return error instanceof Error && "reason" in error
      ? error
      : queryRefusedError(
          "The query ended without a result: it took too long, or its result is too large",
          `Select fewer columns or rows. A query may take ${String(statementTimeoutMs / 1_000)} seconds.`,
        );
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return queryFailedError(code, error.message);
};

interface QueryRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly isCut: boolean;
}

/**
 * A statement in the extended protocol, which accepts only one. The server sends no more rows than are asked for. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
class ReadStatement implements Submittable {
  readonly result: Promise<QueryRows>;
  #columns: string[] = [];
  readonly #rows: (string | null)[][] = [];
  #isCut = false;
  #failure: unknown;
  #resolve: (rows: QueryRows) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(private readonly text: string) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: PgConnection): void {
    connection.parse({ name: "", text: this.text, types: [] }, true);
    connection.bind({ portal: "", statement: "", values: [] }, true);
    connection.describe({ type: "P", name: "" }, true);
    connection.execute({ portal: "", rows: String(maxRows + 1) }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#columns = fields.map(({ name }) => name);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | Buffer | null)[] }): void {
    if (this.#rows.length === maxRows) this.#isCut = true;
    else this.#rows.push(fields.map((value) => (value === null ? null : value.toString())));
  }

  handlePortalSuspended(): void {
    this.#isCut = true;
  }

  handleCopyInResponse(connection: PgConnection): void {
    connection.stream.destroy();
  }

  handleCopyData(): void {
    this.#failure ??= queryRefusedError("COPY returns no rows", "Use SELECT.");
  }

  handleError(error: unknown): void {
    this.#failure ??= error;
    this.#reject(this.#failure);
  }

  handleReadyForQuery(): void {
    if (this.#failure === undefined)
      this.#resolve({ columns: this.#columns, rows: this.#rows, isCut: this.#isCut });
    else this.#reject(this.#failure);
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
