import { DatabaseUnavailableError } from "@mgmt/engine";

/** Thrown when the platform is not a superuser and cannot terminate a superuser's session in the database. */
export class SuperuserConnectedError extends DatabaseUnavailableError {
  constructor() {
    super("A superuser of Postgres is connected to the database", {
      reason: "a superuser of Postgres is connected to the database",
    });
  }
}
