import { connect } from "node:net";
import { Client, type ClientConfig, type Connection, type Submittable } from "pg";
import { unreachableDatabaseError } from "../errors/postgres-errors.js";
import type { Context } from "../input/context.js";
import type { DatabaseAccess } from "./database-access.js";
import { throwIfInterrupted } from "../system/shared-interrupt.js";

/** The server's response to a statement: that it has run, or that it waits for the rows of a `COPY … FROM STDIN`. */
export type StatementResponse = "done" | "copy";

/** A session of Postgres. */
export interface PostgresSession {
  /**
   * Runs a statement, byte for byte, and ignores its rows.
   *
   * @throws DatabaseError of pg if the server rejects it; another error if the connection is lost.
   */
  readonly run: (statement: Uint8Array) => Promise<StatementResponse>;
  /** Sends rows to a `COPY`, and waits until there is room for more. */
  readonly sendRows: (rows: Uint8Array) => Promise<void>;
  /** Ends the rows of a `COPY`. Throws the errors of `run`. */
  readonly endRows: () => Promise<StatementResponse>;
  /** Whether a transaction is open, as the server reports after each statement. */
  readonly isInTransaction: () => boolean;
  /** Whether the server reads a backslash in a string as itself: `standard_conforming_strings`. */
  readonly hasStandardStrings: () => boolean;
  /** Terminates the session. Changes that were not committed are undone. */
  readonly close: () => Promise<void>;
}

/** How long the server may take to accept a session, in milliseconds. */
const connectTimeoutMs = 10_000;
/** How long it may take to accept a request to cancel a statement, in milliseconds. */
const cancelTimeoutMs = 3_000;

/**
 * Opens a session in a database, which ends when the signal is aborted. The statement that runs then is canceled.
 *
 * @throws `database:unreachable`.
 */
export const openSession = async (
  access: DatabaseAccess,
  { signal }: Pick<Context, "signal">,
): Promise<PostgresSession> => {
  const client = createPostgresClient(access);
  let usesStandardStrings = true;
  const { connection } = client;
  connection.on("parameterStatus", ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === "standard_conforming_strings") usesStandardStrings = parameterValue === "on";
  });
  try {
    await client.connect();
  } catch (error) {
    await throwIfInterrupted(signal);
    const problem = error instanceof Error ? error.message : String(error);
    throw unreachableDatabaseError(access.databaseId, problem);
  }
  const cancel = (): void => {
    void cancelStatement(client).then(() => connection.stream.destroy());
  };
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  let statement: SimpleQueryStatement | undefined;
  return {
    run: (sql) => {
      statement = new SimpleQueryStatement(sql);
      client.query(statement);
      return statement.waitForResponse();
    },
    sendRows: async (rows) => {
      const { stream } = connection;
      if (stream.destroyed || stream.write(encodeMessage(copyDataMessage, rows))) return;
      await new Promise<void>((resolve) => {
        const continueSending = (): void => {
          stream.off("drain", continueSending).off("close", continueSending);
          resolve();
        };
        stream.once("drain", continueSending).once("close", continueSending);
      });
    },
    endRows: () => {
      if (!statement) throw new Error("No COPY is under way");
      connection.stream.write(encodeMessage(copyDoneMessage, new Uint8Array()));
      return statement.waitForResponse();
    },
    isInTransaction: () => client.getTransactionStatus() !== "I",
    hasStandardStrings: () => usesStandardStrings,
    close: async () => {
      signal.removeEventListener("abort", cancel);
      await client.end().catch(() => undefined);
    },
  };
};

/**
 * Returns a client of a database, which is not connected yet.
 *
 * @param settings more of pg's settings. Variables of libpq, which pg reads from the environment of the process, change nothing.
 */
export const createPostgresClient = (
  { host, port, user, password, sslMode }: DatabaseAccess,
  settings: ClientConfig = {},
): Client => {
  const { options, client_encoding } = settings;
  const client = new Client({
    ...{ host, port, user, password, database: "postgres", connectionTimeoutMillis: connectTimeoutMs },
    // Like `sslmode=require` of libpq: the connection is encrypted, but the certificate is not verified.
    ssl: sslMode === "disable" ? false : { rejectUnauthorized: false },
    application_name: "mgmt",
    ...settings,
  });
  const parameters: unknown = Reflect.get(client, "connectionParameters");
  if (parameters instanceof Object) {
    Object.assign(parameters, { options, replication: undefined, client_encoding });
  }
  // Without a listener, a broken connection would terminate the process. The statement that runs fails, too.
  client.on("error", () => undefined);
  return client;
};

// Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
const queryMessage = "Q";
const copyDataMessage = "d";
const copyDoneMessage = "c";
const cancelRequestCode = 80_877_102;

/** Returns a message of the protocol: a letter, the length, and the contents. */
const encodeMessage = (letter: string, ...contents: readonly Uint8Array[]): Buffer => {
  const header = Buffer.alloc(5);
  header.write(letter);
  header.writeInt32BE(
    contents.reduce((sum, { length }) => sum + length, 4),
    1,
  );
  return Buffer.concat([header, ...contents]);
};

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/**
 * Asks the server to cancel the statement of a session, as Ctrl-C in psql. Resolves when the request was sent, or could not be. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export const cancelStatement = (client: Client): Promise<void> =>
  new Promise((resolve) => {
    const { host, port } = client;
    // The types of pg lack the parameters that the server has sent at the start.
    const requestFields = [
      16,
      cancelRequestCode,
      Reflect.get(client, "processID"),
      Reflect.get(client, "secretKey"),
    ];
    const request = Buffer.alloc(16);
    for (const [index, number] of requestFields.entries()) request.writeInt32BE(Number(number), index * 4);
    const socket = connect({ host, port, timeout: cancelTimeoutMs }, () => socket.end(request));
    socket.on("error", () => undefined);
    socket.on("timeout", () => socket.destroy());
    socket.on("close", () => resolve());
  });

/**
 * A statement in the simple query protocol of Postgres, whose bytes are sent as they are: they may be in another encoding.
 * Source: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SIMPLE-QUERY
 */
class SimpleQueryStatement implements Submittable {
  private pendingResponse:
    | { resolve: (response: StatementResponse) => void; reject: (error: unknown) => void }
    | undefined;
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly sql: Uint8Array) {}

  /** Waits for the next response of the server. */
  waitForResponse(): Promise<StatementResponse> {
    return new Promise((resolve, reject) => {
      this.pendingResponse = { resolve, reject };
      if (this.failure) reject(this.failure.error);
    });
  }

  submit({ stream }: Connection): void {
    stream.write(encodeMessage(queryMessage, this.sql, Buffer.of(0)));
  }

  handleError(error: unknown): void {
    this.failure ??= { error };
    this.pendingResponse?.reject(error);
  }

  handleReadyForQuery(): void {
    this.pendingResponse?.resolve("done");
  }

  handleCopyInResponse(): void {
    this.pendingResponse?.resolve("copy");
  }

  // Rows that a statement returns are ignored.
  handleCopyData(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}
