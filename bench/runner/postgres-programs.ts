import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs a client program of Postgres. The password is passed in the environment, out of sight of the process list.
 *
 * @returns what it wrote to standard output.
 */
export const runPostgresProgram = async (
  program: "pgbench" | "psql",
  connectionString: string,
  parameters: readonly string[],
): Promise<string> => {
  const url = new URL(connectionString);
  const env = {
    ...process.env,
    PGPASSWORD: decodeURIComponent(url.password),
    LC_ALL: "C",
  };
  url.password = "";
  const start = program === "psql" ? ["--no-psqlrc", "--set=ON_ERROR_STOP=1"] : [];
  const { stdout } = await promisify(execFile)(program, [...start, ...parameters, url.href], { env }).catch(
    (error: { code?: unknown; stderr?: string }) => {
      if (error.code === "ENOENT") {
        throw new Error(`${program} is not installed. On Debian, install postgresql.`, { cause: error });
      }
      throw error;
    },
  );
  return stdout;
};
