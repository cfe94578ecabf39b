import { type Server, type Socket, connect, createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** When the connection that sends the next commit of changes is lost: before Postgres gets it, or before its response. */
export type Loss = "request" | "response";

/** Forwards connections to Postgres, and loses one of them on demand. */
export class LossyProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Responses that are held, by the connection of the client, and the connection that they come from. */
  readonly #held = new Map<Socket, { chunks: Buffer[]; postgres: Socket }>();
  #isHolding = false;
  #loss: Loss | undefined;
  #isRejecting = false;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#forward(client, port));
  }

  /** @param port that of Postgres. */
  static async start(port: number): Promise<LossyProxy> {
    const proxy = new LossyProxy(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    // It listens on a port.
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param refuses whether no other connection can be made from then on. */
  loseNextCommit(loss: Loss, { rejects = false } = {}): void {
    this.#loss = loss;
    this.#isRejecting = rejects;
  }

  /** Tells whether the commit came. */
  get hasLost(): boolean {
    return this.#loss === undefined;
  }

  /** Passes nothing on until `resume`, as if Postgres were frozen. */
  stall(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  /** Keeps the responses until `passResponses`. */
  holdResponses(): void {
    this.#isHolding = true;
  }

  /** Waits until Postgres has ended the connections with held responses. Then passes on those of each in one piece, and ends it. */
  async passResponses(): Promise<void> {
    for (const { postgres } of this.#held.values()) if (!postgres.closed) await once(postgres, "close");
    this.#isHolding = false;
    for (const [client, { chunks }] of this.#held) client.end(Buffer.concat(chunks));
    this.#held.clear();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #forward(client: Socket, port: number): void {
    if (this.#isRejecting && this.hasLost) {
      client.destroy();
      return;
    }
    const postgres = connect(port, "127.0.0.1");
    for (const socket of [client, postgres]) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        if (this.#held.has(client)) return;
        client.destroy();
        postgres.destroy();
      });
    }
    let isLosing = false;
    const names = { commit: new Set<string>(), begin: new Set<string>() };
    client.on("data", (data) => {
      const text = data.toString("latin1");
      for (const [, name = "", statement = ""] of text.matchAll(/P[^]{4}(s\d+)\0(commit|begin)\b/g))
        names[statement as keyof typeof names].add(name);
      // Changes and their commit are sent together. After the commit that counts a request, a transaction begins.
      if (this.#loss !== undefined && findLastBind(text, names.commit) > findLastBind(text, names.begin)) {
        isLosing = true;
        if (this.#loss === "request") return this.#lose();
      }
      postgres.write(data);
    });
    postgres.on("data", (data) => {
      if (isLosing) this.#lose();
      else if (this.#isHolding) {
        const chunks = [...(this.#held.get(client)?.chunks ?? []), data];
        this.#held.set(client, { chunks, postgres });
      } else client.write(data);
    });
  }

  /** Ends all connections, as a failure of the network does. */
  #lose(): void {
    this.#loss = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Returns where messages of a client last run one of these prepared statements; -1 when they do not. */
const findLastBind = (text: string, names: ReadonlySet<string>): number =>
  Math.max(-1, ...[...names].map((name) => text.lastIndexOf(`\0${name}\0\0\0\0\0`)));
