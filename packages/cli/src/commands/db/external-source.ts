import type { Context } from "../../input/context.js";
import { missingInputError, usageError } from "../../errors/usage-errors.js";
import { buildPostgresEnvironment } from "../../postgres/connection-environment.js";
import { type LibpqSettings, buildLibpqSettings } from "../../postgres/libpq-parameters.js";
import {
  ConnectionStringError,
  parseConnectionString,
} from "@mgmt/internal/postgres/parse-connection-string";
import type { PostgresDatabase } from "../../postgres/query.js";
import { getNonInteractiveReason, ask } from "../../input/ask.js";

/** Where the connection string of another Postgres server comes from. It contains a password, so it is not an argument. */
export interface ForeignSourceFlags {
  /** Path of a file with it, or `-` for standard input. */
  readonly sourceFile?: string | undefined;
  /** Name of an environment variable with it. */
  readonly sourceEnv?: string | undefined;
}

/**
 * Reads the connection string of another Postgres server, from a file, a variable, or a person.
 *
 * @throws `usage:missing`; usage errors, none of which repeats the connection string.
 */
export const resolveForeignSource = async (
  { sourceFile, sourceEnv }: ForeignSourceFlags,
  context: Context,
): Promise<PostgresDatabase> => {
  const [connectionString, origin] = await readConnectionString({ sourceFile, sourceEnv }, context);
  let libpqSettings: LibpqSettings;
  try {
    libpqSettings = buildLibpqSettings(parseConnectionString(connectionString), context.env);
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    throw usageError(`${origin} is not a Postgres connection string: ${error.message}`, error.hint);
  }
  await announceConnectionChanges(libpqSettings, context);
  const { displayName, args, variables } = libpqSettings;
  const variablesWithoutSource = Object.fromEntries(
    Object.entries(context.env).filter(([key]) => key !== sourceEnv),
  );
  return { name: displayName, args, env: buildPostgresEnvironment(variablesWithoutSource, variables) };
};

/** Prints which parameters of the connection string are not used, and warns if the connection may not be encrypted. */
const announceConnectionChanges = async (
  { displayName, omittedNames, unknownCount, weakSslMode }: LibpqSettings,
  { output }: Pick<Context, "output">,
): Promise<void> => {
  const { driverParameters, secretParameters } = omittedNames;
  if (driverParameters.length > 0 || unknownCount > 0) {
    const names = [
      ...driverParameters,
      ...(unknownCount > 0
        ? [`${String(unknownCount)} ${driverParameters.length > 0 ? "more" : "unknown"}`]
        : []),
    ];
    const message = `Parameters of the connection string that pg_dump does not need were left out: ${names.join(", ")}.`;
    output.notice({
      code: "db:parameters_left_out",
      message,
      parameters: driverParameters,
      unknown: unknownCount,
    });
  }
  if (secretParameters.length > 0) {
    await output.warn({
      code: "db:secrets_left_out",
      message: `Left out of the connection string: ${secretParameters.join(", ")}. Programs of Postgres accept it only where other accounts can read it.`,
      parameters: secretParameters,
    });
  }
  if (weakSslMode !== undefined) {
    await output.warn({
      code: "db:weak_tls",
      message: `The connection to ${displayName} ${weakSslMode === "disable" ? "is" : "may be"} not encrypted, because the connection string says sslmode=${weakSslMode}.`,
    });
  }
};

const readConnectionString = async (
  { sourceFile, sourceEnv }: ForeignSourceFlags,
  context: Context,
): Promise<[text: string, origin: string]> => {
  if (sourceFile !== undefined) {
    return [await context.sources.readSecret(sourceFile, "--source-file"), `The text of ${sourceFile}`];
  }
  if (sourceEnv !== undefined) {
    if (!/^[A-Za-z_]\w*$/.test(sourceEnv)) {
      throw usageError(
        "--source-env is not the name of a variable",
        "Put the connection string into a variable, and pass its name: --source-env OLD_DATABASE_URL",
      );
    }
    const connectionString = context.env[sourceEnv]?.trim();
    if (!connectionString) throw usageError(`The variable ${sourceEnv} of --source-env is not set`);
    return [connectionString, `The variable ${sourceEnv}`];
  }
  const reason = getNonInteractiveReason(context);
  if (reason !== undefined) {
    throw missingInputError(
      "Missing the connection string of the database to import",
      `The command did not ask, because ${reason}. Pass --source-env NAME or --source-file PATH.`,
    );
  }
  const message = "Connection string of the database to import:";
  const connectionString = await ask(context, (prompts, terminal) =>
    prompts.password({ message, mask: "*" }, terminal),
  );
  return [connectionString.trim(), "What you typed"];
};
