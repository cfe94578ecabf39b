import type { Context } from "../../input/context.js";
import { missingInput, usageError } from "../../errors/usage-errors.js";
import { postgresEnvironment } from "./connection-environment.js";
import type { QueryTarget } from "./query.js";
import { whyNotAsked, ask } from "../../input/ask.js";

/** Where the connection string of another Postgres server comes from. It has a password, so it is no argument. */
export interface ForeignSource {
  /** Path of a file with it, or `-` for standard input. */
  readonly sourceFile?: string | undefined;
  /** Name of an environment variable with it. */
  readonly sourceEnv?: string | undefined;
}

/**
 * Reads the connection string of another Postgres server, from a file, a variable, or a person.
 *
 * @throws `usage:missing`; usage errors that do not repeat it.
 */
export const foreignSource = async (
  { sourceFile, sourceEnv }: ForeignSource,
  context: Context,
): Promise<QueryTarget> => {
  const [text, origin] = await read({ sourceFile, sourceEnv }, context);
  // The parser removes line breaks, and libpq refuses a percent sign that encodes nothing.
  const isUri = /^postgres(ql)?:\/\/(?:[^\t\r\n%]|%[\da-f]{2})+$/i.test(text) && URL.canParse(text);
  const url = isUri ? new URL(text) : undefined;
  if (!url || url.hostname === "") {
    throw usageError(
      `${origin} is not a Postgres connection string`,
      "It must have the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with a percent sign in it as %25.",
    );
  }
  const password = url.searchParams.get("password") ?? decodeURIComponent(url.password);
  const secretParameters = ["password", "sslpassword"];
  for (const name of secretParameters) url.searchParams.delete(name);
  url.password = "";
  // Prisma's parameters mean nothing to libpq, which refuses what it does not know.
  for (const name of ["schema", "pgbouncer", "connection_limit", "pool_timeout", "sslaccept"]) {
    url.searchParams.delete(name);
  }
  const others = Object.fromEntries(Object.entries(context.env).filter(([name]) => name !== sourceEnv));
  const env = postgresEnvironment(others, password === "" ? {} : { PGPASSWORD: password });
  return { name: url.host + url.pathname, args: [`--dbname=${url.href}`], env };
};

const read = async (
  { sourceFile, sourceEnv }: ForeignSource,
  context: Context,
): Promise<[text: string, origin: string]> => {
  if (sourceFile !== undefined) {
    return [await context.sources.readSecret(sourceFile, "--source-file"), `The text of ${sourceFile}`];
  }
  if (sourceEnv !== undefined) {
    const text = context.env[sourceEnv]?.trim();
    if (!text) throw usageError(`The variable ${sourceEnv} of --source-env is not set`);
    return [text, `The variable ${sourceEnv}`];
  }
  const reason = whyNotAsked(context);
  if (reason !== undefined) {
    throw missingInput(
      "Missing the connection string of the database to import",
      `The command did not ask, because ${reason}. Pass --source-env NAME or --source-file PATH.`,
    );
  }
  const message = "Connection string of the database to import:";
  const text = await ask(context, (prompts, terminal) => prompts.password({ message, mask: "*" }, terminal));
  return [text.trim(), "What you typed"];
};
