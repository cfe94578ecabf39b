import { CliError } from "./cli-error.js";

/** @param connectionId the only connection that was asked for. Its password can be replaced. */
export const noCredentialsError = (databaseId: string, connectionId?: string): CliError =>
  new CliError(
    "refused",
    "database:no_credentials",
    `Database ${databaseId} has no connection whose password can be read`,
    connectionId === undefined
      ? `Create one: mgmt connections create NAME --database-id ${databaseId}`
      : `Replace its password: mgmt connections rotate ${connectionId}. Programs that use it need the new one.`,
    { next: [["mgmt", "connections", "list", "--database-id", databaseId]] },
  );

/** Returns whether an error is the one about a database without a readable password. */
export const isNoCredentialsError = (error: unknown): boolean =>
  error instanceof CliError && error.code === "database:no_credentials";

export const noPoolerError = (databaseId: string): CliError =>
  new CliError(
    "refused",
    "database:no_pooler",
    `Database ${databaseId} has no connection pooler`,
    "Run the same command without --pooled.",
    { next: [["mgmt", "connections", "list", "--database-id", databaseId]] },
  );

/** @param connections the connections of the database. */
export const unknownRoleError = (
  databaseId: string,
  role: string,
  connections: readonly { readonly name: string }[],
): CliError =>
  new CliError(
    "notFound",
    "name:not_found",
    `Database ${databaseId} has no connection with the id, name or user ${JSON.stringify(role)}`,
    connections.length === 0
      ? "It has no connection. Without --role, mgmt connection-string offers to create one."
      : `It has ${connections.map(({ name }) => JSON.stringify(name)).join(", ")}.`,
    { next: [["mgmt", "connections", "list", "--database-id", databaseId]] },
  );

export const noSingleDatabaseError = (projectId: string, ids: readonly string[]): CliError =>
  ids.length === 0
    ? new CliError(
        "notFound",
        "database:not_found",
        `Project ${projectId} has no database`,
        `Create one: mgmt databases create --project-id ${projectId} --wait`,
        { next: [["mgmt", "databases", "create", "--project-id", projectId, "--wait"]] },
      )
    : new CliError(
        "refused",
        "database:several",
        `Project ${projectId} has ${String(ids.length)} databases and none is the default`,
        `Pass the id of one of them: ${ids.join(", ")}`,
        { next: [["mgmt", "databases", "list", "--project-id", projectId]] },
      );

/** The name of an env file in an error. */
export interface EnvFileReference {
  readonly path: string;
  /** The flag or the argument that names another file. */
  readonly argument: string;
}

export const unwritableEnvFileError = ({ path, argument }: EnvFileReference, problem: string): CliError =>
  new CliError(
    "failure",
    "env:unwritable",
    `${path} cannot be written (${problem})`,
    `The file was not changed. Pass another file with ${argument}.`,
  );

export const undecodableEnvFileError = ({ path, argument }: EnvFileReference): CliError =>
  new CliError(
    "failure",
    "env:unwritable",
    `${path} cannot be changed, because it is UTF-16, or not text`,
    `The file was not changed. Save it as UTF-8, or pass another file with ${argument}.`,
  );

/** The line is not repeated: it may have a secret. */
export const envFileQuoteError = ({ path, argument }: EnvFileReference, line: number): CliError =>
  new CliError(
    "failure",
    "env:invalid",
    `${path} cannot be changed, because the quote on line ${String(line)} is not closed`,
    `The file was not changed. Close the quote, or pass another file with ${argument}.`,
  );

/** @param problem which part of the path is a symbolic link, and to what. */
export const linkedEnvFileError = ({ path, argument }: EnvFileReference, problem: string): CliError =>
  new CliError(
    "failure",
    "env:unwritable",
    `${path} was not written, because ${problem}`,
    `Files of a folder can point anywhere, so links are not followed. Pass the file that you mean with ${argument}.`,
  );
