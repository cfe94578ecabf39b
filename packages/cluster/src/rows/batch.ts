import { type Client, type Connection, DatabaseError, type Submittable } from "pg";

/** A statement with its parameters, `$1`, `$2`, … Statements with the same text are prepared once per connection. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

/** Returns a statement with the values of its parameters, in order. */
export const createStatement = (text: string, ...values: string[]): Statement => ({ text, values });

/** The columns of a row as text. */
export type RowValues = readonly (string | null)[];

/** The names of the statements that a connection has prepared. */
class PreparedStatements {
  readonly #names = new Map<string, string>();
  #count = 0;

  /** Returns the name of a statement, and whether it has to be prepared first. */
  reserveName(text: string): { readonly name: string; readonly isNew: boolean } {
    const existingName = this.#names.get(text);
    if (existingName !== undefined) return { name: existingName, isNew: false };
    this.#count += 1;
    const name = `s${String(this.#count)}`;
    this.#names.set(text, name);
    return { name, isNew: true };
  }

  /** Prepares the statement again, under another name, before its next use. */
  delete(text: string): void {
    this.#names.delete(text);
  }

  clear(): void {
    this.#names.clear();
  }
}

/**
 * Returns whether an error means that a prepared statement no longer works: the session has discarded its statements, or the type
 * of a column that the statement returns has changed.
 */
export const isStalePreparedStatementError = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  // invalid_sql_statement_name; feature_not_supported, which has other causes too.
  (error.code === "26000" || (error.code === "0A000" && error.routine === "RevalidateCachedQuery"));

const preparedStatementsByConnection = new WeakMap<Connection, PreparedStatements>();

/**
 * Statements that are sent together, as prepared statements, and answered together. After an error, Postgres skips the rest. The
 * driver calls the methods.
 */
class Batch implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #results: RowValues[][] = [];
  /** The SQL of the statements that this batch prepares. */
  readonly #newTexts: string[] = [];
  #rows: RowValues[] = [];
  #preparedStatements: PreparedStatements | undefined;

  constructor(
    statements: readonly Statement[],
    /** The driver wraps it, to call it when the responses take too long. */
    readonly callback: (error: unknown, results: readonly RowValues[][]) => void,
  ) {
    this.#statements = statements;
  }

  submit(connection: Connection): void {
    const preparedStatements = preparedStatementsByConnection.get(connection) ?? new PreparedStatements();
    preparedStatementsByConnection.set(connection, preparedStatements);
    this.#preparedStatements = preparedStatements;
    connection.stream.cork();
    for (const { text, values } of this.#statements) {
      const { name, isNew } = preparedStatements.reserveName(text);
      if (isNew) {
        this.#newTexts.push(text);
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { readonly fields: RowValues }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    this.#results.push(this.#rows);
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results);
  }

  handleError(error: unknown): void {
    if (isStalePreparedStatementError(error)) this.#preparedStatements?.clear();
    // Postgres may have skipped them.
    for (const text of this.#newTexts) this.#preparedStatements?.delete(text);
    this.callback(error, []);
  }
}

/** Runs statements in one round trip. Resolves with the rows of each statement. After a statement fails, the rest does not run. */
export const runBatch = (
  client: Client,
  statements: readonly Statement[],
): Promise<readonly (readonly RowValues[])[]> =>
  new Promise((resolve, reject) => {
    client.query(
      new Batch(statements, (error, results) => {
        if (error === null) resolve(results);
        else reject(error);
      }),
    );
  });

/** Returns strings as the text form of an array parameter. */
export const toArrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
