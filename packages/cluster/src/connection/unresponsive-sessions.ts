import { DatabaseUnavailableError } from "@mgmt/engine";

/** Thrown when sessions do not react to their termination, because Postgres cannot interrupt their statements. */
export class UnresponsiveSessionsError extends DatabaseUnavailableError {
  constructor() {
    super("A session of a tenant does not end", { reason: "a session of the database does not end" });
  }
}
