import { Gate, type WaitLimits } from "./gate.js";
import { loginRefusals } from "../connection/login-refused.js";

/** Databases that accept no connections for a moment, because they are copied or replaced. Their clients wait. */
export class ClosedDatabases {
  readonly #closed = new Map<string, { readonly gate: Gate; isWorkAllowed: number }>();

  /** Does work that closes a database and opens it again. */
  async during(database: string, work: () => Promise<void>): Promise<void> {
    const entry = this.#closed.get(database) ?? {
      gate: new Gate(database, loginRefusals.copying),
      isWorkAllowed: 0,
    };
    this.#closed.set(database, entry);
    entry.isWorkAllowed += 1;
    try {
      await work();
    } finally {
      entry.isWorkAllowed -= 1;
      if (entry.isWorkAllowed === 0) {
        this.#closed.delete(database);
        entry.gate.open();
      }
    }
  }

  /**
   * Returns the name of the database when it is not closed.
   *
   * @throws errors of `Gate.wait`.
   */
  whenOpen(database: string, limits: WaitLimits): string | Promise<string> {
    const entry = this.#closed.get(database);
    return entry === undefined ? database : this.#wait(database, entry.gate, limits);
  }

  async #wait(database: string, gate: Gate, { patience, signal }: WaitLimits): Promise<string> {
    const startedAt = performance.now();
    await gate.wait({ patience, signal });
    const remainingMs = Math.max(0, patience - (performance.now() - startedAt));
    return this.whenOpen(database, { patience: remainingMs, signal });
  }
}
