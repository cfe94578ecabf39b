import { Gate, type WaitLimits } from "./gate.js";
import { loginRejections } from "../connection/login-rejected.js";

/** Databases that accept no connections for a moment, because they are copied or replaced. Their clients wait. */
export class ClosedDatabases {
  readonly #closures = new Map<string, { readonly gate: Gate; workCount: number }>();

  /** Runs a callback while a database is closed for its clients. */
  async closeWhile(database: string, callback: () => Promise<void>): Promise<void> {
    const closure = this.#closures.get(database) ?? {
      gate: new Gate(database, loginRejections.closed),
      workCount: 0,
    };
    this.#closures.set(database, closure);
    closure.workCount += 1;
    try {
      await callback();
    } finally {
      closure.workCount -= 1;
      if (closure.workCount === 0) {
        this.#closures.delete(database);
        closure.gate.open();
      }
    }
  }

  /**
   * Returns the name of the database, immediately or when it is no longer closed.
   *
   * @throws errors of `Gate.wait`.
   */
  resolveWhenOpen(database: string, limits: WaitLimits): string | Promise<string> {
    const closure = this.#closures.get(database);
    return closure === undefined ? database : this.#waitForGate(database, closure.gate, limits);
  }

  async #waitForGate(database: string, gate: Gate, { timeoutMs, signal }: WaitLimits): Promise<string> {
    const startedAt = performance.now();
    await gate.wait({ timeoutMs, signal });
    const remainingMs = Math.max(0, timeoutMs - (performance.now() - startedAt));
    return this.resolveWhenOpen(database, { timeoutMs: remainingMs, signal });
  }
}
