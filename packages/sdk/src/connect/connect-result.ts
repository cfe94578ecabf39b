import type { ConnectionStringOptions } from "./connection-string.js";
import type { Database, Project, ProjectWithDatabase } from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Options of a call that returns the connection string of a database that is ready. */
export interface ConnectOptions extends WaitOptions<Database>, ConnectionStringOptions {}

/** A database that accepts connections. */
export interface ConnectedDatabase {
  readonly database: Database;
  /** In the form that the options name. Secret: keep it out of logs. */
  readonly connectionString: string;
}

/** A new project, with its default database. */
export interface ConnectedProject extends ConnectedDatabase {
  readonly project: ProjectWithDatabase;
}

/** A database that the call has created, or that existed. */
export interface EnsuredDatabase extends ConnectedDatabase {
  /** Whether this call has created it. False if the response to its request was lost. */
  readonly created: boolean;
}

/** A project that the call has created, or that existed, with its default database. */
export interface EnsuredProject extends EnsuredDatabase {
  readonly project: Project | ProjectWithDatabase;
}
