import { STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errors } from "../values/errors.js";
import type { EngineResponse } from "../values/message.js";
import type { RequestError } from "../values/request-error.js";
import type { Connections } from "./connections.js";
import { maxHeadBytes, printRefusal } from "./http-refusal.js";

/**
 * Responds to requests that `node:http` does not accept, and closes the connection. Pipelined requests that came before
 * are answered first. `linger` is the number of milliseconds for which the client may read the response before the
 * connection is destroyed.
 */
export const refuseMalformedRequests = (server: Server, connections: Connections, linger: number): void => {
  const refused = new WeakSet<Duplex>();
  // Node emits this event again for each further chunk of the data.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const unsent = [...connections.unsentOn(socket)];
    const earlier = unsent.filter(({ req }) => req.complete);
    // The body of this request is the malformed data.
    const current = unsent.find(({ req }) => !req.complete);
    void Promise.all(earlier.map(closed)).then(() => {
      if (current?.headersSent || !socket.writable) socket.destroy();
      else refuse(socket, printRefusal(reasonOf(error)), linger);
    });
  });
};

const reasonOf = ({ code }: NodeJS.ErrnoException): RequestError => {
  if (code === "HPE_HEADER_OVERFLOW") return errors.headersTooLarge(maxHeadBytes);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return errors.requestIncomplete();
  return errors.malformed("The request is not a valid HTTP request");
};

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once("close", resolve));

const refuse = (socket: Duplex, { status, headers, body = "" }: EngineResponse, linger: number): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `content-length: ${String(Buffer.byteLength(body))}`;
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`;
  socket.end([statusLine, ...lines, length, "connection: close", "", body].join("\r\n"));
  // Destroying the connection at once could prevent the client from reading the response.
  const destroy = setTimeout(() => socket.destroy(), linger);
  destroy.unref();
  socket.once("close", () => clearTimeout(destroy));
  socket.resume();
};
