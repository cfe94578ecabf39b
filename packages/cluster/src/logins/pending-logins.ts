import { EventEmitter, once } from "node:events";
import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import { connectionLimits } from "../connection/connection-limits.js";
import { loginRefusals } from "./login-refused.js";

/** How long a client waits. */
export interface WaitLimits {
  /** In milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/** A database that is being created. */
interface Creation {
  readonly database: string;
  readonly users: Set<string>;
  /** Emits `created`, or an error. */
  readonly events: EventEmitter;
}

/** Bounds the memory, because another process may complete a creation of this one. */
const maxCreations = 10_000;

/** The logins of databases that are being created. Clients that connect with them wait. */
export class PendingLogins {
  /** By database, the oldest first. */
  readonly #creations = new Map<string, Creation>();
  readonly #databases = new Map<string, string>();

  add(database: string, credentials: readonly Pick<DatabaseCredential, "user">[]): void {
    const creation = this.#creations.get(database) ?? this.#begin(database);
    for (const { user } of credentials) {
      creation.users.add(user);
      this.#databases.set(user, database);
    }
  }

  /**
   * Waits until the database of a login is created, and returns its name; undefined for users whose database is not being created.
   *
   * @throws LoginRefused when the creation fails or takes too long, or too many clients wait for it; the reason of the signal when it is aborted.
   */
  databaseOf(user: string, limits: WaitLimits): Promise<string> | undefined {
    const creation = this.#creations.get(this.#databases.get(user) ?? "");
    return creation && this.#wait(creation, limits);
  }

  /** Lets the clients of a database in when the work is done that creates it. */
  async during(
    database: string,
    canceled: AbortSignal | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      this.#end(database)?.emit("created");
    } catch (error) {
      // Otherwise, the work is repeated.
      if (!(error instanceof DatabaseUnavailableError) && canceled?.aborted !== true) this.fail(database);
      throw error;
    }
  }

  /** Refuses the clients of a database. */
  fail(database: string): void {
    const events = this.#end(database);
    // An error that nobody listens to would be thrown.
    if (events && events.listenerCount("error") > 0) events.emit("error", loginRefusals.notCreated(database));
  }

  #begin(database: string): Creation {
    const [oldest] = this.#creations.keys();
    if (this.#creations.size >= maxCreations && oldest !== undefined) this.fail(oldest);
    const creation = { database, users: new Set<string>(), events: new EventEmitter().setMaxListeners(0) };
    this.#creations.set(database, creation);
    return creation;
  }

  async #wait({ database, events }: Creation, { patience, signal }: WaitLimits): Promise<string> {
    const limit = connectionLimits.perDatabase;
    if (events.listenerCount("created") >= limit) throw loginRefusals.tooManyConnections(database, limit);
    const late = AbortSignal.timeout(patience);
    try {
      await once(events, "created", { signal: AbortSignal.any([signal, late]) });
      return database;
    } catch (error) {
      signal.throwIfAborted();
      throw late.aborted ? loginRefusals.creating(database) : error;
    }
  }

  #end(database: string): EventEmitter | undefined {
    const creation = this.#creations.get(database);
    for (const user of creation?.users ?? []) this.#databases.delete(user);
    this.#creations.delete(database);
    return creation?.events;
  }
}
