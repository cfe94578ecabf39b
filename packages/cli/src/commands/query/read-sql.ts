import { copyRefusedError, noStatementError, statementRefusedError } from "../../errors/query-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import { splitScript } from "../../dumps/sql-script.js";
import type { Context } from "../../input/context.js";

/** What the command line says to run, and where. */
export interface QueryInput {
  /** Undefined means the default database. */
  readonly databaseIdOrName: string | undefined;
  readonly sql: string;
}

/**
 * Reads the statement, and checks that it is one. The server accepts nothing else either; here, it is clear why.
 *
 * @param file path, or `-` for standard input. Default: the last argument is the statement, or `-`.
 * @throws `usage:missing`, `usage:invalid`, and `query:refused`.
 */
export const readQueryInput = async (
  args: readonly string[],
  file: string | undefined,
  { sources, signal }: Pick<Context, "sources" | "signal">,
): Promise<QueryInput> => {
  if (file !== undefined && args.length > 1)
    throw usageError("--file and a statement cannot be used together", "Pass one of them.");
  const databaseIdOrName = file === undefined ? args.at(-2) : args[0];
  const argument = file === undefined ? args.at(-1) : undefined;
  if (file === undefined && (argument === undefined || isNameLike(argument))) throw noStatementError();
  const path = file ?? (argument === "-" ? "-" : undefined);
  const sql =
    path === undefined ? (argument ?? "") : await sources.read(path, file === undefined ? "<sql>" : "--file");
  await assertSingleStatement(sql, signal);
  return { databaseIdOrName, sql };
};

/** Whether an argument may be the name of a database whose statement was left out. No statement that returns rows is one word. */
const isNameLike = (argument: string): boolean => argument !== "-" && /^[\w./-]*$/.test(argument);

const assertSingleStatement = async (sql: string, signal: AbortSignal): Promise<void> => {
  let count = 0;
  for await (const part of splitScript(toChunks(sql))) {
    signal.throwIfAborted();
    if (part.kind === "meta-command")
      throw statementRefusedError(
        "The text has a command of psql, which is not SQL",
        "Use mgmt psql for commands such as \\d.",
      );
    // The server explains the rest.
    if (part.kind === "unfinished") return;
    if (part.kind !== "statement") continue;
    if (part.words[0] === "copy") throw copyRefusedError();
    count += 1;
  }
  if (count === 0) throw noStatementError();
  if (count > 1) {
    throw statementRefusedError(
      `The text has ${String(count)} statements, and a query is one`,
      "Pass one statement. mgmt db seed --file PATH runs several.",
    );
  }
};

const toChunks = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
};
