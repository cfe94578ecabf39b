import { rm } from "node:fs/promises";
import { Client } from "pg";
import { chooseEphemeralParent } from "../../packages/platform/src/machine/data-dir/directories.js";
import { PostgresServer } from "../../packages/platform/src/machine/postgres/server.js";
import { adminPassword, makeCluster, temporaryDirectory } from "../../packages/platform/test/cluster.js";

/** A Postgres server with the settings of `mgmt dev`, but without the platform: the target of controls. */
export interface PlainPostgres {
  /** Of the superuser. */
  readonly admin: string;
  /** Of the owners of two databases, who also own nothing else. */
  readonly tenants: readonly [string, string];
  readonly logFile: string;
  stop(): Promise<void>;
}

export const startPlainPostgres = async (): Promise<PlainPostgres> => {
  const directory = await temporaryDirectory(await chooseEphemeralParent());
  const options = await makeCluster(directory);
  const server = await PostgresServer.start(options);
  const address = (user: string, password: string, database: string): string =>
    `postgres://${user}:${password}@127.0.0.1:${String(options.port)}/${database}`;
  const admin = address("postgres", adminPassword, "postgres");
  const client = new Client({ connectionString: admin });
  await client.connect();
  for (const name of ["first", "second"]) {
    await client.query(`create role ${name} login password 'secret'`);
    await client.query(`create database ${name} owner ${name} template template0`);
  }
  await client.end();
  return {
    admin,
    tenants: [address("first", "secret", "first"), address("second", "secret", "second")],
    logFile: options.logFile,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
