import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import { Gate, type WaitLimits } from "./gate.js";
import { loginRefusals } from "../connection/login-refused.js";

/** A database that is being created. */
interface Creation {
  readonly users: Set<string>;
  readonly gate: Gate;
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
   * @throws errors of `Gate.wait`.
   */
  databaseOf(user: string, limits: WaitLimits): Promise<string> | undefined {
    const creation = this.#creations.get(this.#databases.get(user) ?? "");
    return creation?.gate.wait(limits);
  }

  /** Lets the clients of a database in when the work is done that creates it. */
  async during(
    database: string,
    canceled: AbortSignal | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      this.#end(database)?.open();
    } catch (error) {
      // Otherwise, the work is repeated.
      if (!(error instanceof DatabaseUnavailableError) && canceled?.aborted !== true) this.fail(database);
      throw error;
    }
  }

  /** Refuses the clients of a database. */
  fail(database: string): void {
    this.#end(database)?.refuse(loginRefusals.notCreated(database));
  }

  #begin(database: string): Creation {
    const [oldest] = this.#creations.keys();
    if (this.#creations.size >= maxCreations && oldest !== undefined) this.fail(oldest);
    const creation = { users: new Set<string>(), gate: new Gate(database, loginRefusals.creating) };
    this.#creations.set(database, creation);
    return creation;
  }

  #end(database: string): Gate | undefined {
    const creation = this.#creations.get(database);
    for (const user of creation?.users ?? []) this.#databases.delete(user);
    this.#creations.delete(database);
    return creation?.gate;
  }
}
