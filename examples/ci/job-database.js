import { appendFileSync } from "node:fs";
import { ConnectionError, MgmtError, WaitError, connectionString, createClient, isApiError } from "@mgmt/sdk";

/** @import { Database, MgmtClient } from "@mgmt/sdk" */

/** Databases of branches that no job has created for this long are deleted by `clean`, in milliseconds. */
const maxAge = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the id of the project that has the databases of all jobs.
 *
 * @param {MgmtClient} client
 */
const projectId = async (client) => {
  const project = await client.projects.ensure({ logicalId: "ci", name: "CI", createDatabase: false });
  return project.resource.id;
};

/**
 * Creates the database of a branch unless it exists, and writes its connection string to a file of variables.
 *
 * @param {MgmtClient} client
 * @param {string} branch
 * @param {string} file
 */
const up = async (client, branch, file) => {
  const { resource, created } = await client.databases.ensure({
    projectId: await projectId(client),
    logicalId: branch,
    name: branch,
    region: "inherit",
  });
  const { id } = await client.databases.waitUntilReady(resource.id, { timeoutMs: 300_000 });
  const [connection] = await client.databases.connections.list(id).toArray({ limit: 1 });
  const url = connectionString(
    connection ?? (await client.connections.create({ databaseId: id, name: "ci" })),
  );
  if (process.env.GITHUB_ACTIONS) {
    for (const secret of [url, decodeURIComponent(new URL(url).password)])
      console.log(`::add-mask::${secret}`);
  }
  appendFileSync(file, `DATABASE_URL=${url}\n`, { mode: 0o600 });
  console.log(`${id} ${created ? "created" : "exists"}`);
};

/**
 * Deletes the database of a branch, or every database that is old. One that another job has deleted meanwhile is no error.
 *
 * @param {MgmtClient} client
 * @param {(database: Database) => boolean} isDone
 */
const down = async (client, isDone) => {
  const databases = await client.databases.list({ projectId: await projectId(client) }).toArray();
  for (const database of databases.filter(isDone)) {
    await client.databases.delete(database.id).catch((/** @type {unknown} */ error) => {
      if (!isApiError(error, "database:not_found")) throw error;
    });
    console.log(`${database.id} deleted`);
  }
};

/**
 * Runs a command, and returns the exit status: 75 if it helps to run the job again.
 *
 * @param {string | undefined} command
 * @param {NodeJS.ProcessEnv} env
 */
const run = async (command, { CI_BRANCH = "", ENV_FILE: file = ".env" }) => {
  const branch = CI_BRANCH.replaceAll(/[^\w.-]/g, "-"); // a logical id has no slashes
  const client = createClient({ timeoutMs: 120_000 }); // no one is waiting
  try {
    if (command === "up" && branch) await up(client, branch, file);
    else if (command === "down" && branch) await down(client, ({ logicalId }) => logicalId === branch);
    else if (command === "clean")
      await down(client, ({ createdAt }) => Date.now() - Date.parse(createdAt) > maxAge);
    else {
      console.error("Usage: CI_BRANCH=… node job-database.js up | down | clean");
      return 2;
    }
    return 0;
  } catch (error) {
    if (!(error instanceof MgmtError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    const isTemporary = isApiError(error, ["rate_limit:exceeded", "internal:unavailable"]);
    return isTemporary || error instanceof ConnectionError || error instanceof WaitError ? 75 : 1;
  }
};

process.exitCode = await run(process.argv[2], process.env);
