import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

const certificates = new URL("../../sdk/test/certificates/", import.meta.url);
const key = readFileSync(new URL("loopback.key", certificates));
const cert = readFileSync(new URL("loopback.crt", certificates));

/** The certificate of the TLS server, for `NODE_EXTRA_CA_CERTS`. */
export const caFile = fileURLToPath(new URL("loopback.crt", certificates));

export interface ProxiedService {
  /** Port of a TLS server on `localhost` in front of the service. */
  readonly tlsPort: number;
  /** A proxy without a password. It connects `api.test` to the TLS server, and forwards requests for it to the service. */
  readonly proxyUrl: string;
  /** What the proxy was asked for: `CONNECT api.test:443`, `GET http://api.test/v1/me`. */
  readonly asked: string[];
  close(): void;
}

/** Puts a TLS server and a proxy in front of a service. */
export const startProxiedService = async (baseUrl: string): Promise<ProxiedService> => {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    server.on("connection", (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A listening TCP server has an address of this form.
    return (server.address() as AddressInfo).port;
  };
  const forward: RequestListener = (incoming, response) => {
    const url = new URL(incoming.url ?? "/", baseUrl);
    const onward = request(
      new URL(`${url.pathname}${url.search}`, baseUrl),
      { method: incoming.method, headers: { ...incoming.headers, host: new URL(baseUrl).host } },
      (answer: IncomingMessage) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  };
  const tlsPort = await listen(createTlsServer({ key, cert }, forward));
  const asked: string[] = [];
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method ?? ""} ${incoming.url ?? ""}`);
    forward(incoming, response);
  });
  proxy.on("connect", ({ url = "" }: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(`CONNECT ${url}`);
    sockets.add(socket);
    const onward = connect(tlsPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [onward, socket]) each.on("error", () => undefined);
    sockets.add(onward);
  });
  return {
    tlsPort,
    asked,
    proxyUrl: `http://127.0.0.1:${String(await listen(proxy))}`,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
};
