/** How many connections the databases of one server may have. Postgres enforces these limits. */
export const connectionLimits = {
  /** For each login, and for all logins of a database together. */
  perDatabase: 100,
  /** For all databases together. */
  total: 500,
  /** Only the superuser may use these: the platform, for its work on databases and for the records of the API. */
  reserved: 30,
} as const;
