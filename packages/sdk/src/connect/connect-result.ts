import type {
  Connection,
  ConnectionWithSecrets,
  Database,
  IssuedConnection,
  Project,
  ProjectWithDatabase,
} from "../generated/types.js";
import type { WaitOptions } from "../wait/wait-options.js";

/** Options of a call that waits until a database is ready, and connects. `timeoutMs` limits the whole call. */
export type ConnectOptions = WaitOptions<Database>;

/** A database that accepts connections. */
export interface ConnectedDatabase {
  readonly database: Database;
  /** The connection whose password the string has. `connectionString` of the SDK builds other forms of it. */
  readonly connection: Connection | IssuedConnection | ConnectionWithSecrets;
  /** A URI of the `direct` endpoint, as `connectionString(connection)` builds it. Secret: keep it out of logs. */
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
