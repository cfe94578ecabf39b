import { type IncomingMessage, type ServerResponse, createServer, request as send } from "node:http";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import { readErrorCode } from "../../packages/internal/src/errors/error-code.js";

/** Forwards requests to servers in turn, and to the next one when a server accepts no connection. */
export class RoundRobinProxy {
  readonly #server = createServer((request, response) => void this.#forward(request, response));
  #requests = 0;
  /** URLs of the servers. */
  targets: readonly string[] = [];

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy does not listen");
    return `http://127.0.0.1:${String(address.port)}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const first = (this.#requests += 1);
    try {
      const body = await buffer(request);
      for (const [index] of this.targets.entries()) {
        const target = this.targets[(first + index) % this.targets.length] ?? "";
        if (await forward(target, request, body, response)) return;
      }
      // No server has it.
      response.writeHead(503, { "retry-after": "1" }).end();
    } catch {
      // Nobody knows whether the server has done what was asked.
      response.destroy();
    }
  }
}

/** Returns false if the server accepts no connection. */
const forward = (
  target: string,
  { method, url: path, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(target);
    const options = { hostname, port, method, path, headers: { ...headers, host }, agent: false };
    const sent = send(options, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.once("error", reject).once("end", () => resolve(true));
      received.pipe(response);
    });
    sent.once("error", (error) => {
      if (readErrorCode(error) === "ECONNREFUSED") resolve(false);
      else reject(error);
    });
    sent.end(body);
  });
