import { EventEmitter, once } from "node:events";
import { connectionLimits } from "../connection/connection-limits.js";
import { type LoginRefused, loginRefusals } from "./login-refused.js";

/** How long a client waits. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/** Clients that wait until they may connect to a database. */
export class Gate {
  readonly #database: string;
  readonly #refuseLate: (database: string) => LoginRefused;
  readonly #events = new EventEmitter().setMaxListeners(0);

  /** @param refuseLate returns the error of clients that have waited as long as they can. */
  constructor(database: string, refuseLate: (database: string) => LoginRefused) {
    this.#database = database;
    this.#refuseLate = refuseLate;
  }

  /** Lets the clients in. */
  open(): void {
    this.#events.emit("open");
  }

  refuse(error: LoginRefused): void {
    // An error that nobody listens to would be thrown.
    if (this.#events.listenerCount("error") > 0) this.#events.emit("error", error);
  }

  /**
   * Waits until clients are let in, and returns the name of the database.
   *
   * @throws LoginRefused when they are refused, when it takes too long, or when too many clients wait; the reason of the signal when it is aborted.
   */
  async wait({ patience, signal }: WaitLimits): Promise<string> {
    const database = this.#database;
    const limit = connectionLimits.perDatabase;
    if (this.#events.listenerCount("open") >= limit) throw loginRefusals.tooManyConnections(database, limit);
    const late = AbortSignal.timeout(patience);
    try {
      await once(this.#events, "open", { signal: AbortSignal.any([signal, late]) });
      return database;
    } catch (error) {
      signal.throwIfAborted();
      throw late.aborted ? this.#refuseLate(database) : error;
    }
  }
}
