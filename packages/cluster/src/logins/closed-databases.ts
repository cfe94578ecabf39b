import { Gate, type WaitLimits } from "./gate.js";
import { loginRejections } from "../connection/login-rejected.js";

/** Databases that accept no connections for a moment, because they are copied or replaced. Their clients wait. */
export class ClosedDatabases {
  readonly #closedDatabases = new Map<string, { readonly gate: Gate; callbackCount: number }>();

  /** Runs a callback while a database is closed for its clients. */
  async closeWhile(database: string, callback: () => Promise<void>): Promise<void> {
    const closedDatabase = this.#closedDatabases.get(database) ?? {
      gate: new Gate(database, loginRejections.closed),
      callbackCount: 0,
    };
    this.#closedDatabases.set(database, closedDatabase);
    closedDatabase.callbackCount += 1;
    try {
      await callback();
    } finally {
      closedDatabase.callbackCount -= 1;
      if (closedDatabase.callbackCount === 0) {
        this.#closedDatabases.delete(database);
        closedDatabase.gate.open();
      }
    }
  }

  /**
   * Returns the name of the database, immediately or when it is no longer closed.
   *
   * @throws errors of `Gate.wait`.
   */
  resolveWhenOpen(database: string, limits: WaitLimits): string | Promise<string> {
    const closedDatabase = this.#closedDatabases.get(database);
    return closedDatabase === undefined ? database : this.#waitForGate(database, closedDatabase.gate, limits);
  }

  async #waitForGate(database: string, gate: Gate, { timeoutMs, signal }: WaitLimits): Promise<string> {
    const startedAt = performance.now();
    await gate.wait({ timeoutMs, signal });
    const remainingMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
    return this.resolveWhenOpen(database, { timeoutMs: remainingMs, signal });
  }
}
