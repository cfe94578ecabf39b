import { type FileHandle, open } from "node:fs/promises";
import { type Database, type MgmtClient, MgmtError, createClient } from "@mgmt/sdk";

/**
 * Gives a pull request a database of its own: the same one in every run, whatever was cut off before. Appends
 * `DATABASE_URL=…` to the file named by `MGMT_ENV_FILE` (`GITHUB_ENV` will do), which only its owner can read afterwards.
 * Prints no secret. Wants `MGMT_BASE_URL`, `MGMT_TOKEN`, `MGMT_PROJECT_ID` and `PULL_REQUEST`, its number.
 * Exits with 2 when one is missing, and with 1 when the service does not do it.
 */
const main = async (): Promise<void> => {
  const names = ["MGMT_BASE_URL", "MGMT_TOKEN", "MGMT_PROJECT_ID", "MGMT_ENV_FILE", "PULL_REQUEST"] as const;
  const [baseUrl, token, projectId, envFile, number] = names.map((name) => process.env[name] ?? "");
  const missing = names.filter((name) => !process.env[name]);
  if (!baseUrl || !token || !projectId || !envFile || !number) return refuse(`Set ${missing.join(", ")}.`);
  if (!/^[1-9]\d*$/.test(number)) return refuse("PULL_REQUEST must be the number of a pull request.");

  const client = createClient({ baseUrl, token });
  // Before anything is made or rotated: what cannot be written down would be lost.
  const file = await open(envFile, "a", 0o600);
  try {
    await file.chmod(0o600); // it may have been there
    await provision(client, projectId, `pull-request-${number}`, file);
    console.log(`Its connection string is in ${envFile}.`);
  } finally {
    await file.close();
  }
};

const provision = async (client: MgmtClient, projectId: string, logicalId: string, file: FileHandle) => {
  const { created, resource } = await client.databases.ensure({ projectId, logicalId, name: logicalId });
  const fresh = created ? resource.connectionString : null;
  const database = await client.databases.waitUntilReady(resource.id);
  await file.write(`DATABASE_URL=${fresh ?? (await newConnectionString(client, database))}\n`);
  console.log(`Database ${database.id} in ${database.region.id}: ${created ? "new" : "the same as before"}.`);
};

/** Connection strings are told once. A run that was not told, or a later one, gets a new one; the old one ends. */
const newConnectionString = async (client: MgmtClient, database: Database): Promise<string> => {
  const { id, defaultConnectionId } = database;
  const connection = defaultConnectionId
    ? await client.connections.rotate(defaultConnectionId)
    : await client.databases.connections.create(id, { name: "ci" });
  return connection.connectionString;
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
