import { rm } from "node:fs/promises";
import { Client } from "pg";
import { chooseEphemeralParent } from "../../packages/platform/src/machine/data-dir/directories.js";
import { PostgresServer } from "../../packages/platform/src/machine/postgres/server.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../packages/platform/test/cluster.js";

let stop: (() => Promise<void>) | undefined;

/** Starts Postgres with a database for the records of the tests. */
export const setup = async (): Promise<void> => {
  const directory = await temporaryDirectory(await chooseEphemeralParent());
  const options = await makeCluster(directory);
  const server = await PostgresServer.start(options);
  stop = async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const address = `postgres://postgres:${adminPassword}@127.0.0.1:${String(options.port)}`;
  const client = new Client({ connectionString: `${address}/postgres` });
  await client.connect();
  await client.query("create database records template template0");
  await client.query("revoke all on database records from public");
  await client.end();
  process.env["MGMT_TEST_STORE"] = `${address}/records`;
};

export const teardown = async (): Promise<void> => {
  await stop?.();
};
