import { execFile } from "node:child_process";
import type { Context } from "../input/context.js";
import { unreachableDatabaseError } from "../errors/postgres-errors.js";
import type { DatabaseAccess } from "./database-access.js";
import { throwIfInterrupted } from "../system/shared-interrupt.js";
import { catalogQueries, setSearchPathSql } from "./catalog-queries.js";
import { requireClientProgram, type PostgresVersion } from "./client-programs.js";
import { buildClientEnvironment } from "./connection-environment.js";

/** A database that client programs of Postgres can connect to. */
export interface PostgresDatabase {
  /** Id of a database of the service, or the address of another server. */
  readonly name: string;
  /** Arguments that choose the database, without a password. */
  readonly args: readonly string[];
  /** The whole environment of the programs. */
  readonly env: NodeJS.ProcessEnv;
}

/** Returns how client programs connect to a database of the service. */
export const toPostgresDatabase = (
  access: DatabaseAccess,
  { env }: Pick<Context, "env">,
): PostgresDatabase => ({
  name: access.databaseId,
  args: [],
  env: buildClientEnvironment(env, access),
});

/**
 * Runs one of the queries of the command with psql, and returns the values of its column. They are only data: nothing that a database
 * responds may become SQL, input of psql, or the name of a file.
 *
 * @throws `program:not_found`; `database:unreachable` if psql cannot connect or the statement fails.
 */
export const runCatalogQuery = async (
  name: keyof typeof catalogQueries,
  { name: databaseName, args, env }: PostgresDatabase,
  context: Pick<Context, "env" | "signal">,
): Promise<string[]> => {
  const { signal } = context;
  const { path } = await requireClientProgram("psql", context);
  // Names can have every character but NUL.
  const flags = [
    "--no-psqlrc",
    "--no-password",
    "--quiet",
    "--tuples-only",
    "--no-align",
    "--record-separator-zero",
  ];
  const command = `--command=${setSearchPathSql}; ${catalogQueries[name]}`;
  // A server that does not respond would keep the command waiting.
  const clientVariables = { ...env, PGCONNECT_TIMEOUT: "10", PGCLIENTENCODING: "UTF8", LC_ALL: "C" };
  const options = { env: clientVariables, signal, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve, reject) => {
    execFile(path, [...flags, command, ...args], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.split("\0").filter((value) => value !== ""));
      const problem = stderr.replace(/^psql: error: /, "").trim() || error.message;
      throwIfInterrupted(signal).then(() => reject(unreachableDatabaseError(databaseName, problem)), reject);
    });
  });
};

/** Returns the version of a server. Throws the errors of `runCatalogQuery`. */
export const readServerVersion = async (
  database: PostgresDatabase,
  context: Pick<Context, "env" | "signal">,
): Promise<PostgresVersion> => {
  const [version = ""] = await runCatalogQuery("serverVersion", database, context);
  return { version: version.split(" ")[0] ?? version, major: Number.parseInt(version, 10) };
};
