import { Socket } from "node:net";

/** Returns a socket for a connection to Postgres. */
export const createSocket = (): Socket => new Socket();

/** Returns a socket for a server whose work others may have taken. It never connects. */
export const createRejectedSocket = (): Socket => new RejectedSocket();

class RejectedSocket extends Socket {
  override connect(): this {
    return this.destroy(new Error("Other servers may have taken the work of this one"));
  }
}
