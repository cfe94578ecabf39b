import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer, request } from "node:http";

/**
 * Starts a proxy that sends each request to the next server. Goes on with another one only when no connection was made, because a request
 * that was sent may have taken effect.
 */
export const startProxy = async (port: number, serverPorts: readonly number[]): Promise<Server> => {
  let turn = 0;
  const proxy = createServer((incoming, outgoing) => {
    const start = turn++ % serverPorts.length;
    forward(incoming, outgoing, [...serverPorts.slice(start), ...serverPorts.slice(0, start)]);
  });
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
};

const forward = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  [port, ...otherPorts]: readonly number[],
): void => {
  const { method, url, headers, socket } = incoming;
  if (port === undefined) {
    outgoing.writeHead(503, { "content-type": "text/plain" }).end("No server can be reached\n");
    return;
  }
  const forwardedFor = [headers["x-forwarded-for"], socket.remoteAddress].filter(Boolean).join(", ");
  let isConnected = false;
  const sent = request(
    {
      ...{ host: "127.0.0.1", port, method, path: url, agent: false },
      headers: { ...headers, connection: "close", "x-forwarded-for": forwardedFor },
    },
    (response) => {
      const { connection: _, "keep-alive": __, ...responseHeaders } = response.headers;
      outgoing.writeHead(response.statusCode ?? 502, responseHeaders);
      response.on("error", () => outgoing.destroy()).pipe(outgoing);
    },
  );
  sent.on("socket", (connection) => {
    connection.once("connect", () => {
      isConnected = true;
      incoming.pipe(sent);
    });
  });
  sent.on("error", () => {
    if (!isConnected) forward(incoming, outgoing, otherPorts);
    else if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502, { "content-type": "text/plain" }).end("The server did not respond\n");
  });
  outgoing.on("close", () => sent.destroy());
};
