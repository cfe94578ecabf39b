import { type IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errors } from "../request/errors.js";
import type { EngineResponse } from "../request/message.js";
import type { RequestError } from "../request/request-error.js";
import { maxHeadBytes, printRefusal } from "./http-refusal.js";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Responds to requests that `node:http` does not accept, and closes the connection. Pipelined requests that came before
 * are answered first. `linger` is the number of milliseconds for which the client may read the response before the
 * connection is destroyed.
 */
export const refuseMalformedRequests = (server: Server, linger: number): void => {
  const inProgress = new WeakMap<Duplex, Set<Exchange>>();
  const refused = new WeakSet<Duplex>();
  server.on("request", (request, response) => {
    const { socket } = request;
    const exchanges = inProgress.get(socket) ?? new Set();
    inProgress.set(socket, exchanges);
    const exchange = { request, response };
    exchanges.add(exchange);
    response.once("close", () => exchanges.delete(exchange));
  });
  // Node emits this event again for each further chunk of the data.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const exchanges = [...(inProgress.get(socket) ?? [])];
    const earlier = exchanges.filter(({ request }) => request.complete);
    // The body of this request is the malformed data.
    const current = exchanges.find(({ request }) => !request.complete);
    void Promise.all(earlier.map(({ response }) => closed(response))).then(() => {
      if (current?.response.headersSent || !socket.writable) socket.destroy();
      else refuse(socket, printRefusal(reasonOf(error)), linger);
    });
  });
};

const reasonOf = ({ code }: NodeJS.ErrnoException): RequestError => {
  if (code === "HPE_HEADER_OVERFLOW") return errors.headersTooLarge(maxHeadBytes);
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return errors.requestIncomplete();
  return errors.malformed("The request is not HTTP");
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
