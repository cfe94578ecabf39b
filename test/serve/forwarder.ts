import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";

/** Forwards connections to a port of this machine, as the address of a Postgres service does that leads to the primary. */
export class Forwarder {
  readonly #server = createServer((socket) => this.#forward(socket));
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  /** Where new connections lead to. Those that exist stay where they are. */
  target = 0;

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The forwarder does not listen");
    return address.port;
  }

  /** Passes nothing any more, in neither direction, as a network that loses all packets. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Passes what was sent meanwhile, and goes on. */
  restore(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #forward(client: Socket): void {
    const upstream = connect(this.target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (bytes) => to.write(bytes));
      from.on("end", () => to.end());
      from.on("close", () => {
        this.#sockets.delete(from);
        // The other side does not learn of it through a network that is cut.
        if (!this.#isCut) to.destroy();
      });
      if (this.#isCut) from.pause();
    }
  }
}
