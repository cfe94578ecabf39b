import { type DatabaseCredential, DatabaseUnavailableError } from "@mgmt/engine";
import { Gate, type WaitLimits } from "./gate.js";
import { loginRejections } from "../connection/login-rejected.js";

/** A database that is being created. */
interface DatabaseCreation {
  readonly users: Set<string>;
  readonly gate: Gate;
}

/** Limits the memory use, because another process may complete a creation that this one has started. */
const maxCreations = 10_000;

/** The logins of databases that are being created. Clients that connect with them wait. */
export class PendingLogins {
  /** By database, the oldest first. */
  readonly #creations = new Map<string, DatabaseCreation>();
  readonly #databaseByUser = new Map<string, string>();

  add(database: string, credentials: readonly Pick<DatabaseCredential, "user">[]): void {
    const creation = this.#creations.get(database) ?? this.#startCreation(database);
    for (const { user } of credentials) {
      creation.users.add(user);
      this.#databaseByUser.set(user, database);
    }
  }

  /**
   * Waits until the database of a login is created, and returns its name; undefined for users whose database is not being created.
   *
   * @throws errors of `Gate.wait`.
   */
  waitForDatabase(user: string, limits: WaitLimits): Promise<string> | undefined {
    const creation = this.#creations.get(this.#databaseByUser.get(user) ?? "");
    return creation?.gate.wait(limits);
  }

  /** Admits the clients of a database when the work that creates it is done. */
  async runCreation(
    database: string,
    cancelSignal: AbortSignal | undefined,
    callback: () => Promise<void>,
  ): Promise<void> {
    try {
      await callback();
      this.#endCreation(database)?.open();
    } catch (error) {
      // If it fails, the work is repeated.
      if (!(error instanceof DatabaseUnavailableError) && cancelSignal?.aborted !== true)
        this.rejectClients(database);
      throw error;
    }
  }

  /** Rejects the clients of a database. */
  rejectClients(database: string): void {
    this.#endCreation(database)?.reject(loginRejections.notCreated(database));
  }

  #startCreation(database: string): DatabaseCreation {
    const [oldestDatabase] = this.#creations.keys();
    if (this.#creations.size >= maxCreations && oldestDatabase !== undefined)
      this.rejectClients(oldestDatabase);
    const creation = { users: new Set<string>(), gate: new Gate(database, loginRejections.creating) };
    this.#creations.set(database, creation);
    return creation;
  }

  #endCreation(database: string): Gate | undefined {
    const creation = this.#creations.get(database);
    for (const user of creation?.users ?? []) this.#databaseByUser.delete(user);
    this.#creations.delete(database);
    return creation?.gate;
  }
}
