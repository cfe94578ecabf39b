/** How many connections the databases of one server may have. Postgres enforces these limits. */
export const connectionLimits = {
  /** For each login, and for all logins of a database together. */
  perDatabase: 100,
  /** For all databases together. */
  total: 500,
  /** Only the superuser may use these: the platform, for its work on databases and for the records of the API. */
  reserved: 30,
} as const;

/** The limits for all databases of one server together, which depend on its settings. */
export interface ServerLimits {
  /** Maximum number of connections of one database. */
  readonly connectionsPerDatabase: number;
  /** Maximum number of connections. */
  readonly connections: number;
  /** Maximum number of locks: half of those that the server has room for. */
  readonly locks: number;
}

/** The limits of a server with the settings of the platform. */
export const ownServerLimits: ServerLimits = {
  connectionsPerDatabase: connectionLimits.perDatabase,
  connections: connectionLimits.total,
  locks: connectionLimits.total * 32,
};
