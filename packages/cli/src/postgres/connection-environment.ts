import { buildProgramEnvironment } from "../system/find-program.js";
import type { ConnectionSettings } from "./connection-settings.js";

/** Returns whether libpq reads a variable. The others that start like this choose colors of messages. */
const isLibpqVariable = (name: string): boolean => /^PG(?!_COLORS?$)/i.test(name);

/**
 * Returns the environment of a client program of Postgres: the environment of this process, without the variables for `mgmt` alone,
 * and without the variables of libpq, some of which send a connection elsewhere, weaken it, or change what a session does.
 *
 * @param libpqVariables variables of libpq to set. Only the process and its account can read them, unlike arguments.
 * @returns variables, of which an undefined one is removed.
 */
export const buildPostgresEnvironment = (
  env: NodeJS.ProcessEnv,
  libpqVariables: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv => ({
  ...buildProgramEnvironment(env),
  ...Object.fromEntries(
    Object.keys(env)
      .filter(isLibpqVariable)
      .map((name) => [name, undefined]),
  ),
  ...libpqVariables,
});

/** Returns the environment of a client program of Postgres that connects to a database. */
export const buildClientEnvironment = (
  env: NodeJS.ProcessEnv,
  { host, port, user, password, sslMode }: ConnectionSettings,
): NodeJS.ProcessEnv =>
  buildPostgresEnvironment(env, {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: "postgres",
    PGSSLMODE: sslMode,
  });
