import { type FileHandle, open } from "node:fs/promises";
import { type Database, type MgmtClient, MgmtError, createClient } from "@mgmt/sdk";

/**
 * Creates a database for a pull request, or finds the one from an earlier run, even if that run was interrupted. Appends
 * `DATABASE_URL=…` to the file named by `MGMT_ENV_FILE` (such as `$GITHUB_ENV`) and makes it readable only by its owner.
 * Prints no secret. Requires `MGMT_BASE_URL`, `MGMT_TOKEN`, `MGMT_PROJECT_ID`, and the pull request's number as
 * `PULL_REQUEST`. Exits with 2 if one of them is missing, and with 1 if the service refuses.
 */
const main = async (): Promise<void> => {
  const names = ["MGMT_BASE_URL", "MGMT_TOKEN", "MGMT_PROJECT_ID", "MGMT_ENV_FILE", "PULL_REQUEST"] as const;
  const [baseUrl, token, projectId, envFile, number] = names.map((name) => process.env[name] ?? "");
  const missing = names.filter((name) => !process.env[name]);
  if (!baseUrl || !token || !projectId || !envFile || !number) return refuse(`Set ${missing.join(", ")}.`);
  if (!/^[1-9]\d*$/.test(number)) return refuse("PULL_REQUEST must be the number of a pull request.");

  const client = createClient({ baseUrl, token });
  // Open the file first: a connection string that cannot be saved would be lost.
  const file = await open(envFile, "a", 0o600);
  try {
    await file.chmod(0o600); // the file may already exist
    await provision(client, projectId, `pull-request-${number}`, file);
    console.log(`The connection string is in ${envFile}.`);
  } finally {
    await file.close();
  }
};

const provision = async (client: MgmtClient, projectId: string, logicalId: string, file: FileHandle) => {
  const ensured = await client.databases.ensure({ projectId, logicalId, name: logicalId });
  const database = await client.databases.waitUntilReady(ensured.resource.id);
  const connection = ensured.created ? ensured.connection : await newConnection(client, database);
  await file.write(`DATABASE_URL=${connection.connectionString}\n`);
  const outcome = ensured.created ? "created" : "already existed";
  console.log(`Database ${database.id} in ${database.region?.id ?? "an unknown region"}: ${outcome}.`);
};

/** Gives the newest connection a new password, because the service shows a connection string only once. */
const newConnection = async (client: MgmtClient, { id, connections }: Database) => {
  const newest = connections.at(-1);
  return newest
    ? client.connections.rotate(newest.id)
    : client.databases.connections.create(id, { name: "ci" });
};

const refuse = (message: string): void => {
  console.error(message);
  process.exitCode = 2;
};

try {
  await main();
} catch (error) {
  if (!(error instanceof MgmtError)) throw error;
  console.error(`${error.toString()} (${error.code})`, error.hint ?? "");
  process.exitCode = 1;
}
