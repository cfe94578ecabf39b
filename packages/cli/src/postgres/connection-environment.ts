import { programEnvironment } from "../process/find-program.js";
import type { Connectable } from "../contract/connectable.js";

/** Variables of libpq that send a connection elsewhere, or that take the password from a file. */
const overriding = [
  "PGHOSTADDR",
  "PGSERVICE",
  "PGSERVICEFILE",
  "PGPASSFILE",
  "PGTARGETSESSIONATTRS",
] as const;

/**
 * Returns the variables that connect a client program of Postgres to a database. Only the process and its account can read
 * them, unlike arguments. Undefined removes a variable of the environment.
 */
export const connectionVariables = ({
  host,
  port,
  user,
  password,
  sslMode,
}: Connectable): Record<string, string | undefined> => ({
  ...Object.fromEntries(overriding.map((name) => [name, undefined])),
  PGHOST: host,
  PGPORT: String(port),
  PGUSER: user,
  PGPASSWORD: password,
  PGDATABASE: "postgres",
  PGSSLMODE: sslMode,
});

/** Returns the environment of a client program of Postgres: that of this process, without what is for `mgmt` alone. */
export const clientEnvironment = (env: NodeJS.ProcessEnv, to: Connectable): NodeJS.ProcessEnv => ({
  ...programEnvironment(env),
  ...connectionVariables(to),
});
