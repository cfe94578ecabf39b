import { Gate, type WaitLimits } from "./gate.js";
import { loginRefusals } from "../connection/login-refused.js";

/** Databases that accept no connections for a moment, because they are copied or replaced. Their clients wait. */
export class ClosedDatabases {
  readonly #closures = new Map<string, { readonly gate: Gate; runningWorkCount: number }>();

  /** Does work that closes a database and opens it again. */
  async runWhileClosed(database: string, work: () => Promise<void>): Promise<void> {
    const entry = this.#closures.get(database) ?? {
      gate: new Gate(database, loginRefusals.copying),
      runningWorkCount: 0,
    };
    this.#closures.set(database, entry);
    entry.runningWorkCount += 1;
    try {
      await work();
    } finally {
      entry.runningWorkCount -= 1;
      if (entry.runningWorkCount === 0) {
        this.#closures.delete(database);
        entry.gate.open();
      }
    }
  }

  /**
   * Returns the name of the database when it is not closed.
   *
   * @throws errors of `Gate.wait`.
   */
  waitUntilOpen(database: string, limits: WaitLimits): string | Promise<string> {
    const entry = this.#closures.get(database);
    return entry === undefined ? database : this.#waitForGate(database, entry.gate, limits);
  }

  async #waitForGate(database: string, gate: Gate, { timeoutMs, signal }: WaitLimits): Promise<string> {
    const startedAt = performance.now();
    await gate.wait({ timeoutMs, signal });
    const remainingMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
    return this.waitUntilOpen(database, { timeoutMs: remainingMs, signal });
  }
}
