import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A server that speaks as much of the protocol of Postgres as the command uses, and runs nothing. */
export interface FakePostgres {
  readonly port: number;
  /** The statements so far, with rows of a COPY as `rows …`, and `end` for each session that has ended. */
  readonly log: string[];
  /** Parameters of the sessions so far: user, database, options, … */
  readonly sessions: Readonly<Record<string, string>>[];
  close(): void;
}

/** The answer to a statement: rows of one column, an error, that the connection breaks, or an answer that waits for a cancellation. */
export type StatementReply = ImmediateReply | { readonly onCancel: ImmediateReply };

type ImmediateReply =
  | { readonly column: string; readonly rows: readonly (string | boolean | null)[] }
  | TypedRows
  | { readonly error: string; readonly state: string; readonly fields?: Readonly<Record<string, string>> }
  | "break"
  | undefined;

/** Rows of several columns, and what the server says when they are sent. */
export interface TypedRows {
  /** Name and type of each column. Absent for a statement without rows. */
  readonly columns?: readonly (readonly [name: string, type: number])[];
  readonly table?: Iterable<readonly (string | null)[]>;
  /** Default: `OK`. */
  readonly tag?: string;
  readonly notice?: string;
}

/** Starts the server. A COPY from standard input gets its rows; any other statement succeeds unless `reply` says something else. */
export const startFakePostgres = async (
  reply: (statement: string, log: readonly string[]) => StatementReply = () => undefined,
  { standardStrings = true } = {},
): Promise<FakePostgres> => {
  const log: string[] = [];
  const sessions: Record<string, string>[] = [];
  const sockets = new Set<Socket>();
  const cancelWaiters: (() => void)[] = [];
  const serve = async (socket: Socket): Promise<void> => {
    let transaction = "I";
    const ready = (): Buffer => message("Z", Buffer.from(transaction));
    const fail = (error: string, state: string, fields: Readonly<Record<string, string>> = {}): void => {
      if (transaction === "T") transaction = "E";
      const parts = Object.entries({ S: "ERROR", C: state, M: error, ...fields });
      socket.write(
        Buffer.concat([
          message("E", ...parts.map(([letter, value]) => text(letter + value)), Buffer.alloc(1)),
          ready(),
        ]),
      );
    };
    let parsed = "";
    for await (const { letter, body } of readMessages(socket)) {
      if (letter === "startup" && body.readInt32BE() === cancelRequestCode) {
        log.push("cancel");
        for (const resume of cancelWaiters.splice(0)) resume();
        socket.end();
      } else if (letter === "startup") {
        const words = body.toString("utf8", 4).split("\0").filter(Boolean);
        sessions.push(
          Object.fromEntries(
            words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ""]] : [])),
          ),
        );
        const standard = message(
          "S",
          text("standard_conforming_strings"),
          text(standardStrings ? "on" : "off"),
        );
        socket.write(
          Buffer.concat([message("R", int32(0)), standard, message("K", int32(1), int32(2)), ready()]),
        );
      } else if (letter === "X") {
        log.push("end");
        socket.end();
      } else if (letter === "d") {
        log.push(`rows ${body.toString()}`);
      } else if (letter === "c") {
        socket.write(Buffer.concat([message("C", text("COPY 1")), ready()]));
      } else if (letter === "P") {
        parsed = body.toString("utf8", 1, body.indexOf(0, 1));
      } else if (letter === "B") {
        const values = readValues(body);
        if (values.length > 0) log.push(`values ${JSON.stringify(values)}`);
      } else if (letter === "Q" || letter === "S") {
        const statement = letter === "S" ? parsed : body.toString("utf8", 0, body.length - 1);
        const firstAnswer = reply(statement, log);
        log.push(statement);
        const waits = typeof firstAnswer === "object" && "onCancel" in firstAnswer;
        if (waits) await new Promise<void>((resolve) => cancelWaiters.push(resolve));
        const answer = waits ? firstAnswer.onCancel : firstAnswer;
        if (answer === "break") {
          socket.destroy();
          return;
        }
        if (answer && "error" in answer) {
          fail(answer.error, answer.state, answer.fields);
          continue;
        }
        if (answer && !("column" in answer)) {
          await writeTypedRows(socket, answer);
          socket.write(Buffer.concat([message("C", text(answer.tag ?? "OK")), ready()]));
          continue;
        }
        if (/^copy .* from stdin/i.test(statement)) {
          socket.write(message("G", Buffer.from([0, 0, 0])));
          continue;
        }
        if (/^begin/i.test(statement)) transaction = "T";
        if (/^(commit|rollback|end)/i.test(statement)) transaction = "I";
        const parts = answer ? rowMessages(answer.column, answer.rows) : [];
        socket.write(Buffer.concat([...parts, message("C", text("OK")), ready()]));
      }
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    void serve(socket).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a host has an address of this form.
    port: (server.address() as AddressInfo).port,
    log,
    sessions,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

const int32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
};

const int16 = (value: number): Buffer => int32(value).subarray(2);

const message = (letter: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
};

const cancelRequestCode = 80_877_102;

/** Returns the values of a Bind message, whose portal and statement have no names. */
const readValues = (body: Buffer): string[] => {
  let offset = 2;
  offset += 2 + 2 * body.readInt16BE(offset);
  const count = body.readInt16BE(offset);
  offset += 2;
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(offset);
    offset += 4 + length;
    return body.toString("utf8", offset - length, offset);
  });
};

const describeColumns = (columns: readonly (readonly [string, number])[]): Buffer =>
  message(
    "T",
    int16(columns.length),
    ...columns.flatMap(([name, type]) => [
      ...[text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)],
    ]),
  );

const writeTypedRows = async (socket: Socket, { columns, table = [], notice }: TypedRows): Promise<void> => {
  if (notice !== undefined) socket.write(message("N", text("SNOTICE"), text(`M${notice}`), Buffer.alloc(1)));
  socket.write(columns ? describeColumns(columns) : message("n"));
  for (const values of table) {
    const cells = values.map((value) => {
      if (value === null) return int32(-1);
      const bytes = Buffer.from(value);
      return Buffer.concat([int32(bytes.length), bytes]);
    });
    if (socket.destroyed) return;
    if (!socket.write(message("D", int16(values.length), ...cells)))
      await new Promise<void>((resolve) => void socket.once("drain", resolve).once("close", () => resolve()));
  }
};

const booleanType = 16;
const textType = 25;

const rowMessages = (column: string, rows: readonly (string | boolean | null)[]): Buffer[] => {
  const type = typeof rows[0] === "boolean" ? booleanType : textType;
  const format = [int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)];
  const values = rows.map((value) => {
    if (value === null) return int32(-1);
    const bytes = Buffer.from(typeof value === "boolean" ? (value ? "t" : "f") : value);
    return Buffer.concat([int32(bytes.length), bytes]);
  });
  return [
    message("T", int16(1), text(column), ...format),
    ...values.map((value) => message("D", int16(1), value)),
  ];
};

/** Reads the messages of a client. The first one has no letter. */
const readMessages = async function* (socket: Socket): AsyncGenerator<{ letter: string; body: Buffer }> {
  let pending: Buffer = Buffer.alloc(0);
  let isStarted = false;
  for await (const chunk of socket) {
    pending = Buffer.concat([pending, chunk as Buffer]);
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (pending.length < start + 4) break;
      const end = start + pending.readInt32BE(start);
      if (pending.length < end) break;
      yield {
        letter: isStarted ? pending.toString("latin1", 0, 1) : "startup",
        body: pending.subarray(start + 4, end),
      };
      pending = pending.subarray(end);
      isStarted = true;
    }
  }
};
