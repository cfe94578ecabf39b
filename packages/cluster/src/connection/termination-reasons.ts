import type { LoginRejectedError } from "./login-rejected.js";

/** How long a client may take to learn that its session was terminated, in milliseconds. */
const reasonLifetimeMs = 5_000;

/**
 * Records why the platform terminates the sessions of a database, or rejects new ones. Postgres itself reports only that an administrator
 * terminated them, or that there are too many.
 */
export class TerminationReasons {
  readonly #reasons = new Map<string, { reason: LoginRejectedError; until: number }>();

  /** @param durationMs how long the reason applies, in milliseconds. Default: 5,000. */
  set(database: string, reason: LoginRejectedError, durationMs = reasonLifetimeMs): void {
    this.#reasons.set(database, { reason, until: performance.now() + durationMs });
  }

  /** Returns why sessions of the database are terminated now; undefined when the platform does not terminate them. */
  get(database: string): LoginRejectedError | undefined {
    const entry = this.#reasons.get(database);
    if (entry === undefined || entry.until > performance.now()) return entry?.reason;
    this.#reasons.delete(database);
    return undefined;
  }
}
