import type { Connection, FieldDef, Submittable } from "pg";

/** The values of a row, as Postgres writes them as text, or null for NULL. */
export type TextRow = readonly (string | null)[];

export interface StatementOptions {
  /** Values of the parameters `$1`, `$2` and so on, as text. The statement determines their types. Default: none. */
  readonly values?: readonly string[];
  /** The most rows that the server sends. Default: all of them. */
  readonly maxRows?: number;
}

/** A statement would copy rows from or to this program, which has no place for them. */
export class CopyProtocolError extends Error {}

/** The connection was lost before the statement was done. */
export class StatementConnectionError extends Error {}

/** How many bytes of values wait for their reader before the connection is paused. */
const maxWaitingBytes = 64 * 1_024;
/** The memory overhead of a value beyond its text. */
const bytesPerValue = 16;

/**
 * A statement in the extended protocol, which accepts only one. Its rows are read in portions: the server waits while the reader is slow,
 * so that a result of any length needs little memory. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class SingleStatement implements Submittable {
  /** The columns of the result. Known when the first portion is there; empty if the statement returns no rows. */
  columns: readonly FieldDef[] = [];
  /** The command tag of the completed statement, such as `INSERT 0 3`. Known after the last portion. */
  commandTag: string | undefined;
  /** Whether there are more rows than were asked for. Known after the last portion. */
  isCut = false;
  readonly #options: StatementOptions;
  #connection: Connection | undefined;
  #rows: TextRow[] = [];
  #waitingBytes = 0;
  #isDone = false;
  #failure: { readonly error: unknown } | undefined;
  /** Called when there is a portion, or the end. */
  #waitingReaders: (() => void)[] = [];

  constructor(
    private readonly text: string,
    options: StatementOptions = {},
  ) {
    this.#options = options;
  }

  /** Whether the server has done the statement, and confirmed it. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Returns the rows in portions, none of which is empty. Each row is returned once, also if it is called again. Throws before the first
   * portion if the statement has failed until then.
   *
   * @throws DatabaseError of pg if the server rejects the statement; CopyProtocolError; StatementConnectionError.
   */
  async *readPortions(): AsyncGenerator<readonly TextRow[]> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (this.#waitingBytes >= maxWaitingBytes || this.#isDone) {
        const rows = this.#rows;
        this.#rows = [];
        this.#waitingBytes = 0;
        this.#connection?.stream.resume();
        if (rows.length > 0) yield rows;
        else if (this.#isDone) return;
      } else await new Promise<void>((resolve) => this.#waitingReaders.push(resolve));
    }
  }

  #resumeReaders(): void {
    const readers = this.#waitingReaders;
    this.#waitingReaders = [];
    for (const resume of readers) resume();
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    const { values = [], maxRows = 0 } = this.#options;
    connection.once("copyOutResponse", () => {
      this.handleError(new CopyProtocolError());
      connection.stream.destroy();
    });
    connection.parse({ name: "", text: this.text, types: [] }, true);
    connection.bind({ portal: "", statement: "", values: [...values] }, true);
    connection.describe({ type: "P", name: "" }, true);
    connection.execute({ portal: "", rows: String(maxRows) }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.columns = fields;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | Buffer | null)[] }): void {
    const row = fields.map((value) => (value === null ? null : value.toString()));
    this.#rows.push(row);
    this.#waitingBytes += row.reduce(
      (sum, value) => sum + (value?.length ?? 0) + bytesPerValue,
      bytesPerValue,
    );
    if (this.#waitingBytes < maxWaitingBytes) return;
    this.#connection?.stream.pause();
    this.#resumeReaders();
  }

  handlePortalSuspended(): void {
    this.isCut = true;
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.commandTag = text;
  }

  handleReadyForQuery(): void {
    this.#isDone = true;
    this.#resumeReaders();
  }

  handleCopyInResponse(connection: Connection): void {
    this.handleError(new CopyProtocolError());
    connection.stream.destroy();
  }

  handleError(error: unknown): void {
    const isOfServer = error instanceof Error && "severity" in error;
    this.#failure ??= {
      error:
        isOfServer || error instanceof CopyProtocolError
          ? error
          : new StatementConnectionError("The connection was lost", { cause: error }),
    };
    this.#resumeReaders();
  }

  handleCopyData(): void {}
  handleEmptyQuery(): void {}
}
