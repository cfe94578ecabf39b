import type { Context, GlobalFlags } from "../../input/context.js";
import { resolveDatabaseAccess } from "../../postgres/database-access.js";
import { programNotFoundError } from "../../errors/program-errors.js";
import { buildClientEnvironment } from "../../postgres/connection-environment.js";
import { findProgram } from "../../system/find-program.js";
import { runProgram } from "../../system/run-program.js";

/** Runs psql on a database. */
export const runPsql = async (
  positionals: readonly string[],
  { pooled }: { pooled?: boolean },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  // Arguments of psql start with a dash, ids do not.
  const hasId = positionals[0] !== undefined && !positionals[0].startsWith("-");
  const args = hasId ? positionals.slice(1) : positionals;
  const access = await resolveDatabaseAccess(hasId ? positionals[0] : undefined, flags, context, { pooled });
  const path = findProgram("psql", context.env);
  if (path === undefined) throw programNotFoundError("psql", notFoundHint);
  await context.output.implicitSettings.announceForChange();
  await runProgram(path, args, buildClientEnvironment(context.env, access), context, {
    notFoundHint,
  });
};

const notFoundHint =
  "Install the client programs of Postgres (postgresql-client, libpq), or use mgmt env with another client.";
