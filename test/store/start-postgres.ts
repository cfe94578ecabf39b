import { rm } from "node:fs/promises";
import { Client } from "pg";
import { ephemeralBase } from "../../packages/platform/src/directories.js";
import { PostgresServer } from "../../packages/platform/src/postgres/server.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../packages/platform/test/cluster.js";

/** Starts Postgres with a database for the records of the tests, and stops it after the last test. */
export default async (): Promise<() => Promise<void>> => {
  const directory = await temporaryDirectory(await ephemeralBase());
  const options = await makeCluster(directory);
  const server = await PostgresServer.start(options);
  const address = `postgres://postgres:${adminPassword}@127.0.0.1:${String(options.port)}`;
  const client = new Client({ connectionString: `${address}/postgres` });
  await client.connect();
  await client.query("create database records template template0");
  await client.end();
  process.env["MGMT_TEST_STORE"] = `${address}/records`;
  return async () => {
    delete process.env["MGMT_TEST_STORE"];
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
};
