import type { Context, GlobalFlags } from "../../input/context.js";
import { databaseAccess } from "../../postgres/database-access.js";
import { programNotFound } from "../../errors/run-errors.js";
import { clientEnvironment } from "../../postgres/connection-environment.js";
import { findProgram } from "../../system/find-program.js";
import { runProgram } from "../../system/run-program.js";

/** Runs psql on a database. */
export const runPsql = async (
  words: readonly string[],
  { pooled }: { pooled?: boolean },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  // Arguments of psql start with a dash, ids do not.
  const hasId = words[0] !== undefined && !words[0].startsWith("-");
  const args = hasId ? words.slice(1) : words;
  const access = await databaseAccess(hasId ? words[0] : undefined, flags, context, { pooled });
  const path = findProgram("psql", context.env);
  if (path === undefined) throw programNotFound("psql", notFound);
  await runProgram(path, args, clientEnvironment(context.env, access), context, { notFound });
};

const notFound =
  "Install the client programs of Postgres (postgresql-client, libpq), or use mgmt env with another client.";
