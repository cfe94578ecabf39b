import { once } from "node:events";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";

export type Direction = "request" | "response";

/** After which byte of which direction connections are cut, counted from the first byte of the proxy. */
export interface Cut {
  direction: Direction;
  bytes: number;
}

/** Forwards connections to a service, and cuts one of them. */
export class CutProxy {
  readonly counts: Record<Direction, number> = { request: 0, response: 0 };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: Cut | undefined;

  /** Port of the service. */
  target = 0;

  private constructor(cut: Cut | undefined) {
    this.#cut = cut;
    this.#server = createServer((client) => this.#forward(client, connect(this.target, "127.0.0.1")));
  }

  /** @param cut Default: none. */
  static async start(cut?: Cut): Promise<CutProxy> {
    const proxy = new CutProxy(cut);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    // It listens on a port.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  /** Whether the connection was cut. */
  get hasCut(): boolean {
    return this.#cut === undefined;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket, service: Socket): void {
    const end = (): void => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true).on("error", end).on("close", end);
    }
    const pass = (direction: Direction, to: Socket) => (chunk: Buffer) => {
      const before = this.counts[direction];
      this.counts[direction] += chunk.length;
      const cut = this.#cut;
      if (cut?.direction !== direction || this.counts[direction] < cut.bytes) return void to.write(chunk);
      this.#cut = undefined;
      client.removeAllListeners("data");
      service.removeAllListeners("data");
      to.end(chunk.subarray(0, cut.bytes - before), end);
    };
    client.on("data", pass("request", service));
    service.on("data", pass("response", client));
  }
}
