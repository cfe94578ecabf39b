import { execFile } from "node:child_process";
import type { Context } from "../../input/context.js";
import { unreachableDatabase } from "../../errors/postgres-errors.js";
import type { DatabaseAccess } from "../../run/database-url.js";
import { throwIfInterrupted } from "../run/shared-interrupt.js";
import { findClientProgram, type PostgresVersion } from "./client-programs.js";
import { clientEnvironment } from "./connection-environment.js";

/** A database that client programs of Postgres can connect to. */
export interface QueryTarget {
  /** Id of a database of the service, or the address of another server. */
  readonly name: string;
  /** Arguments that choose the database, without a password. */
  readonly args: readonly string[];
  /** The whole environment of the programs. */
  readonly env: NodeJS.ProcessEnv;
}

/** Returns how client programs connect to a database of the service. */
export const queryTarget = (access: DatabaseAccess, { env }: Pick<Context, "env">): QueryTarget => ({
  name: access.databaseId,
  args: [],
  env: clientEnvironment(env, access),
});

/**
 * Runs one SQL statement with psql, and returns its rows as lines with `|` between the columns.
 *
 * @throws `program:not_found`; `database:unreachable` if psql cannot connect or the statement fails.
 */
export const query = async (
  sql: string,
  { name, args, env }: QueryTarget,
  context: Pick<Context, "env" | "signal">,
): Promise<string> => {
  const { signal } = context;
  const { path } = await findClientProgram("psql", context);
  const flags = ["--no-psqlrc", "--no-password", "--quiet", "--tuples-only", "--no-align", "--file=-"];
  // A server that does not respond would keep the command waiting.
  const limited = { ...env, PGCONNECT_TIMEOUT: "10", LC_ALL: "C" };
  return new Promise((resolve, reject) => {
    const options = { env: limited, signal, maxBuffer: 64 * 2 ** 20 };
    const child = execFile(
      path,
      [...flags, "--set=ON_ERROR_STOP=1", ...args],
      options,
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout.trim());
        const problem = stderr.replace(/^psql: error: /, "").trim() || error.message;
        throwIfInterrupted(signal).then(() => reject(unreachableDatabase(name, problem)), reject);
      },
    );
    // A statement may be longer than an argument.
    child.stdin?.on("error", () => undefined).end(`${sql};\n`);
  });
};

/** Returns the version of a server. Throws what `query` does. */
export const serverVersion = async (
  target: QueryTarget,
  context: Pick<Context, "env" | "signal">,
): Promise<PostgresVersion> => {
  const version = await query("show server_version", target, context);
  return { version: version.split(" ")[0] ?? version, major: Number.parseInt(version, 10) };
};
