import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";

export interface Load {
  readonly url: string;
  readonly token: string;
  /** Sent as the JSON of a POST. Default: a GET. */
  readonly sent?: object;
  /** The body that every response must have. Default: any. */
  readonly body?: string;
  /** The status that every response must have. Default: 200 with a body, and 201 without. */
  readonly status?: number;
  readonly connections: number;
  /** Requests in all. */
  readonly requests: number;
}

/**
 * Sends requests over several connections, each of which waits for a response before its next request. Writes to sockets, because a
 * slower client would let the server wait between requests, and a server that waits has other costs.
 */
export const sendRequests = async (load: Load): Promise<void> => {
  const { url, token, sent, body, status = body === undefined ? 201 : 200, connections, requests } = load;
  const { host, hostname, port, pathname } = new URL(url);
  const content = sent ? JSON.stringify(sent) : "";
  const lines = [`host: ${host}`, `authorization: Bearer ${token}`];
  if (sent)
    lines.push("content-type: application/json", `content-length: ${String(Buffer.byteLength(content))}`);
  const request = [`${sent ? "POST" : "GET"} ${pathname} HTTP/1.1`, ...lines, "", content].join("\r\n");
  const start = `HTTP/1.1 ${String(status)} `;
  const expected = body === undefined ? undefined : Buffer.from(body).toString("latin1");
  let left = requests;
  const useConnection = async (): Promise<void> => {
    // One character for each byte.
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding("latin1");
    const closed = once(socket, "close");
    let text = "";
    const next = (): void => {
      text = "";
      if ((left -= 1) >= 0) socket.write(request);
      else socket.end();
    };
    socket.on("data", (chunk: string) => {
      text += chunk;
      const [head = "", received] = text.split("\r\n\r\n", 2);
      if (received === undefined) return;
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (received.length < length) return;
      const isRight = head.startsWith(start) && received === (expected ?? received);
      if (isRight && received.length === length) next();
      else socket.destroy(new Error(`A response is wrong: ${text}`));
    });
    next();
    await closed;
    assert.equal(text, "", "A response was cut");
  };
  await Promise.all(Array.from({ length: connections }, useConnection));
};
