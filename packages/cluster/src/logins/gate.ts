import { EventEmitter, once } from "node:events";
import { connectionLimits } from "../connection/connection-limits.js";
import { type LoginRefusedError, loginRefusals } from "../connection/login-refused.js";

/** How long a client waits. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/**
 * Clients that wait until they may connect to a database. Nobody has checked their passwords yet, so when there are too many, the one that
 * has waited longest makes room: clients without a password cannot fill all places and keep others out.
 */
export class Gate {
  readonly #database: string;
  readonly #refuseLate: (database: string) => LoginRefusedError;
  readonly #events = new EventEmitter().setMaxListeners(0);
  /** One for each client, the oldest first. */
  readonly #waiting = new Set<AbortController>();

  /** @param refuseLate returns the error of clients that have waited as long as they can. */
  constructor(database: string, refuseLate: (database: string) => LoginRefusedError) {
    this.#database = database;
    this.#refuseLate = refuseLate;
  }

  /** Lets the clients in. */
  open(): void {
    this.#events.emit("open");
  }

  refuse(error: LoginRefusedError): void {
    // An error that nobody listens to would be thrown.
    if (this.#events.listenerCount("error") > 0) this.#events.emit("error", error);
  }

  /**
   * Waits until clients are let in, and returns the name of the database.
   *
   * @throws LoginRefusedError when they are refused, when it takes too long, or when too many others have come to wait; the reason of the
   *   signal when it is aborted.
   */
  async wait({ patience, signal }: WaitLimits): Promise<string> {
    const database = this.#database;
    const timeout = AbortSignal.timeout(patience);
    const queueEntry = this.#enqueue();
    try {
      await once(this.#events, "open", { signal: AbortSignal.any([signal, timeout, queueEntry.signal]) });
      return database;
    } catch (error) {
      signal.throwIfAborted();
      queueEntry.signal.throwIfAborted();
      throw timeout.aborted ? this.#refuseLate(database) : error;
    } finally {
      this.#waiting.delete(queueEntry);
    }
  }

  #enqueue(): AbortController {
    const limit = connectionLimits.perDatabase;
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size >= limit) {
      this.#waiting.delete(oldest);
      oldest.abort(loginRefusals.tooManyConnections(this.#database, limit));
    }
    const queueEntry = new AbortController();
    this.#waiting.add(queueEntry);
    return queueEntry;
  }
}
