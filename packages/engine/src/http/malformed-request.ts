import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { EngineResponse } from "../request/message.js";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Responds to data that is not valid HTTP and closes the connection. Pipelined requests that came before the data
 * are answered first. `print` creates the response; `linger` is the number of milliseconds for which the client may
 * read it before the connection is destroyed.
 */
export const refuseMalformedRequests = (
  server: Server,
  print: () => EngineResponse,
  linger: number,
): void => {
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
  server.on("clientError", (_error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const exchanges = [...(inProgress.get(socket) ?? [])];
    const earlier = exchanges.filter(({ request }) => request.complete);
    // The body of this request is the malformed data.
    const current = exchanges.find(({ request }) => !request.complete);
    void Promise.all(earlier.map(({ response }) => closed(response))).then(() => {
      if (current?.response.headersSent || !socket.writable) socket.destroy();
      else refuse(socket, print(), linger);
    });
  });
};

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once("close", resolve));

const refuse = (socket: Duplex, { status, headers, body = "" }: EngineResponse, linger: number): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `content-length: ${String(Buffer.byteLength(body))}`;
  socket.end(
    [`HTTP/1.1 ${String(status)} Bad Request`, ...lines, length, "connection: close", "", body].join("\r\n"),
  );
  // Destroying the connection at once could prevent the client from reading the response.
  const destroy = setTimeout(() => socket.destroy(), linger);
  destroy.unref();
  socket.once("close", () => clearTimeout(destroy));
  socket.resume();
};
