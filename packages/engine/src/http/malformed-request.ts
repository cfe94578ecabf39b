import { STATUS_CODES, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errors } from "../values/errors.js";
import type { EngineResponse } from "../values/message.js";
import type { RequestError } from "../values/request-error.js";
import type { Connections } from "./connections.js";
import { maxHeadBytes, createErrorResponse } from "./http-rejection.js";

/**
 * Responds to requests that `node:http` does not accept, and closes the connection. Pipelined requests that came before
 * are answered first. `lingerMs` is the number of milliseconds for which the client may read the response before the
 * connection is destroyed.
 */
export const handleMalformedRequests = (server: Server, connections: Connections, lingerMs: number): void => {
  const handledSockets = new WeakSet<Duplex>();
  // Node emits this event again for each further chunk of the data.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (handledSockets.has(socket)) return;
    handledSockets.add(socket);
    const unsentResponses = [...connections.listUnsentResponses(socket)];
    const earlierResponses = unsentResponses.filter(({ req }) => req.complete);
    // The body of this request is the malformed data.
    const currentResponse = unsentResponses.find(({ req }) => !req.complete);
    void Promise.all(earlierResponses.map(waitForClose)).then(() => {
      if (currentResponse?.headersSent || !socket.writable) socket.destroy();
      else sendAndClose(socket, createErrorResponse(toRequestError(error)), lingerMs);
    });
  });
};

const toRequestError = ({ code }: NodeJS.ErrnoException): RequestError => {
  if (code === "HPE_HEADER_OVERFLOW") return errors["request:headers_too_large"]({ limit: maxHeadBytes });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return errors["request:incomplete"]();
  return errors["request:malformed/http"]();
};

const waitForClose = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once("close", resolve));

const sendAndClose = (
  socket: Duplex,
  { status, headers, body = "" }: EngineResponse,
  lingerMs: number,
): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const contentLengthLine = `content-length: ${String(Buffer.byteLength(body))}`;
  const statusLine = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`;
  socket.end([statusLine, ...lines, contentLengthLine, "connection: close", "", body].join("\r\n"));
  // Destroying the connection immediately could prevent the client from reading the response.
  const destroyTimer = setTimeout(() => socket.destroy(), lingerMs);
  destroyTimer.unref();
  socket.once("close", () => clearTimeout(destroyTimer));
  socket.resume();
};
