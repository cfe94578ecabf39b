import { CliError } from "./cli-error.js";

export const noCredentials = (databaseId: string): CliError =>
  new CliError(
    "refused",
    "database:no_credentials",
    `Database ${databaseId} has no connection whose password can be read`,
    `Create one: mgmt databases connections create ${databaseId} --name NAME`,
    { next: [["mgmt", "databases", "connections", "list", databaseId]] },
  );

export const severalDatabases = (projectId: string, ids: readonly string[]): CliError =>
  ids.length === 0
    ? new CliError(
        "notFound",
        "database:not_found",
        `Project ${projectId} has no database`,
        `Create one: mgmt projects databases create ${projectId} --wait`,
        { next: [["mgmt", "projects", "databases", "create", projectId, "--wait"]] },
      )
    : new CliError(
        "refused",
        "database:several",
        `Project ${projectId} has ${String(ids.length)} databases and none is the default`,
        `Pass the id of one of them: ${ids.join(", ")}`,
        { next: [["mgmt", "projects", "databases", "list", projectId]] },
      );

export const unwritableEnvFile = (file: string, problem: string): CliError =>
  new CliError(
    "failure",
    "env:unwritable",
    `${file} cannot be written (${problem})`,
    "The file was not changed. Pass another file with --file.",
  );
