import type { Context, GlobalFlags } from "../../context.js";
import { databaseAccess } from "../../operations/database-url.js";
import { runProgram } from "../run/run-program.js";

/** Runs psql on a database. */
export const runPsql = async (
  words: readonly string[],
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  // Arguments of psql start with a dash, ids do not.
  const hasId = words[0] !== undefined && !words[0].startsWith("-");
  const args = hasId ? words.slice(1) : words;
  const access = await databaseAccess(hasId ? words[0] : undefined, flags, context);
  const connection = {
    PGHOST: access.host,
    PGPORT: String(access.port),
    PGUSER: access.user,
    PGPASSWORD: access.password,
    PGDATABASE: "postgres",
    PGSSLMODE: access.sslMode,
  };
  await runProgram("psql", args, connection, context, {
    notFound:
      "Install the client programs of Postgres (postgresql-client, libpq), or use mgmt env with another client.",
  });
};
