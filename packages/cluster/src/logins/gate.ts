import { EventEmitter, once } from "node:events";
import { connectionLimits } from "../policy/connection-limits.js";
import { type LoginRejectedError, loginRejections } from "../connection/login-rejected.js";

/** How long a client waits. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Clients that wait until they may connect to a database. Their passwords have not been checked yet, so when there are too many, the one
 * that has waited longest makes room: clients without a password cannot fill all places and keep others out.
 */
export class Gate {
  readonly #database: string;
  readonly #createTimeoutError: (database: string) => LoginRejectedError;
  readonly #events = new EventEmitter().setMaxListeners(0);
  /** One for each client, the oldest first. */
  readonly #waitingClients = new Set<AbortController>();

  /** @param createTimeoutError returns the error of clients that have waited as long as they can. */
  constructor(database: string, createTimeoutError: (database: string) => LoginRejectedError) {
    this.#database = database;
    this.#createTimeoutError = createTimeoutError;
  }

  /** Lets the clients in. */
  open(): void {
    this.#events.emit("open");
  }

  reject(error: LoginRejectedError): void {
    // An error without a listener would be thrown.
    if (this.#events.listenerCount("error") > 0) this.#events.emit("error", error);
  }

  /**
   * Waits until clients are let in, and returns the name of the database.
   *
   * @throws LoginRejectedError when they are rejected, when it takes too long, or when too many others have started to wait; the reason of
   * the signal when it is aborted.
   */
  async wait({ timeoutMs, signal }: WaitLimits): Promise<string> {
    const database = this.#database;
    const timeoutSignal = AbortSignal.timeout(timeoutMs);
    const client = this.#addClient();
    try {
      await once(this.#events, "open", { signal: AbortSignal.any([signal, timeoutSignal, client.signal]) });
      return database;
    } catch (error) {
      signal.throwIfAborted();
      client.signal.throwIfAborted();
      throw timeoutSignal.aborted ? this.#createTimeoutError(database) : error;
    } finally {
      this.#waitingClients.delete(client);
    }
  }

  #addClient(): AbortController {
    const limit = connectionLimits.perDatabase;
    const [oldestClient] = this.#waitingClients;
    if (oldestClient !== undefined && this.#waitingClients.size >= limit) {
      this.#waitingClients.delete(oldestClient);
      oldestClient.abort(loginRejections.tooManyConnections(this.#database, limit));
    }
    const client = new AbortController();
    this.#waitingClients.add(client);
    return client;
  }
}
