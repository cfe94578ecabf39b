import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Target } from "../programs/calls.js";

export interface Load {
  readonly target: Target;
  readonly path: string;
  /** Sent as the JSON of a POST. Default: a GET. */
  readonly sent?: unknown;
  readonly connections: number;
  /** Requests in all. */
  readonly requests: number;
  /** The body that every response must have. Default: any, with status 201. */
  readonly body?: string;
}

/** Sends requests over several connections, each of which waits for a response before its next request. */
export const sendRequests = async ({ requests, connections, ...load }: Load): Promise<void> => {
  const request = printRequest(load);
  const status = load.body === undefined ? 201 : 200;
  const expected = load.body === undefined ? undefined : Buffer.from(load.body).toString("latin1");
  let left = requests;
  const takeTurn = (): boolean => (left -= 1) >= 0;
  await Promise.all(
    Array.from({ length: connections }, () =>
      useConnection(new URL(load.target.baseUrl), request, takeTurn, (head, body) => {
        assert.ok(head.startsWith(`HTTP/1.1 ${String(status)} `), head + body);
        if (expected !== undefined) assert.equal(body, expected);
      }),
    ),
  );
};

const printRequest = ({ target, path, sent }: Pick<Load, "target" | "path" | "sent">): string => {
  const body = sent === undefined ? "" : JSON.stringify(sent);
  return [
    `${sent === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    `host: ${new URL(target.baseUrl).host}`,
    `authorization: Bearer ${target.token}`,
    ...(sent === undefined
      ? []
      : ["content-type: application/json", `content-length: ${String(Buffer.byteLength(body))}`]),
    "",
    body,
  ].join("\r\n");
};

const useConnection = async (
  { hostname, port }: URL,
  request: string,
  takeTurn: () => boolean,
  check: (head: string, body: string) => void,
): Promise<void> => {
  // One character for each byte.
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding("latin1");
  await once(socket, "connect");
  const next = (): void => {
    if (takeTurn()) socket.write(request);
    else socket.end();
  };
  let text = "";
  socket.on("data", (chunk: string) => {
    text += chunk;
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
    const body = text.slice(end + 4);
    if (length !== undefined && body.length < Number(length)) return;
    try {
      assert.ok(length !== undefined, "A response has no Content-Length");
      check(text.slice(0, end), body);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    text = "";
    next();
  });
  const closed = once(socket, "close");
  next();
  await closed;
  assert.equal(text, "", "A response was cut");
};
