import { execFile } from "node:child_process";
import type { Context } from "../../input/context.js";
import { dumpFailed } from "../../errors/preview-errors.js";
import type { DatabaseAccess } from "../../run/database-url.js";
import { findClientProgram } from "../db/client-programs.js";
import { clientEnvironment } from "../db/connection-environment.js";
import { queryTarget, serverVersion } from "../db/query.js";
import { throwIfInterrupted } from "../run/shared-interrupt.js";

/** Copies of a database have the same schema, but other owners. */
const args = ["--schema-only", "--no-owner", "--no-privileges", "--no-password"];

/**
 * Returns the schema of a database as SQL, without what differs between two dumps of the same schema.
 *
 * @throws `program:not_found`, `program:too_old`, `database:unreachable`, and `preview:dump_failed`.
 */
export const dumpSchema = async (
  access: DatabaseAccess,
  context: Pick<Context, "env" | "signal">,
): Promise<string> => {
  const { path } = await findClientProgram(
    "pg_dump",
    context,
    await serverVersion(queryTarget(access, context), context),
  );
  const env = { ...clientEnvironment(context.env, access), PGCONNECT_TIMEOUT: "10", LC_ALL: "C" };
  const options = { env, signal: context.signal, maxBuffer: 512 * 2 ** 20 };
  const sql = await new Promise<string>((resolve, reject) => {
    execFile(path, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const problem = stderr.trim().split("\n")[0] || error.message;
      throwIfInterrupted(context.signal).then(() => reject(dumpFailed(access.databaseId, problem)), reject);
    });
  });
  return withoutNoise(sql);
};

/** Removes the versions of the programs, and the keys that pg_dump makes for each dump. */
const withoutNoise = (sql: string): string =>
  sql.replaceAll(/^(?:-- Dumped (?:from|by) .*|\\(?:un)?restrict \S+)\n/gm, "").replaceAll(/\n{3,}/g, "\n\n");
