import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, escapeLiteral } from "pg";
import { chooseStablePort } from "../../packages/platform/src/machine/ports.js";
import { findPostgresAccount } from "../../packages/platform/src/machine/data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "../../packages/platform/src/machine/postgres/binaries.js";
import { createCluster } from "../../packages/platform/src/machine/postgres/cluster.js";
import { PostgresServer } from "../../packages/platform/src/machine/postgres/server.js";

/** A Postgres server with the login of a service. */
export interface LocalPostgres {
  /** Connection string of the database with the records, which does not exist yet. */
  readonly databaseUrl: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Starts the Postgres of this machine, or else that of `@mgmt/platform`, on a new cluster that is discarded. */
export const startPostgres = async (directory: string): Promise<LocalPostgres> => {
  const account = await findPostgresAccount();
  const find = (choice: string): Promise<Binaries> =>
    findBinaries({ choice, path: process.env["PATH"] ?? "", account });
  const binaries = await find("system").catch(() => find("package"));
  const options = {
    ...{
      account,
      binaries,
      directory: join(directory, "postgres"),
      logFile: join(directory, "postgres.log"),
    },
    port: await chooseStablePort("127.0.0.1"),
    isDurable: false,
    directoryToRemove: directory,
  };
  const { password: superuserPassword } = await createCluster(options.directory, binaries, account);
  const server = await PostgresServer.start(options);
  try {
    const password = randomBytes(24).toString("hex");
    const address = { host: "127.0.0.1", port: options.port };
    const client = new Client({
      ...address,
      user: "postgres",
      password: superuserPassword,
      database: "postgres",
    });
    await client.connect();
    try {
      await client.query(await readRoleScript(password));
    } finally {
      await client.end();
    }
    const databaseUrl = `postgres://mgmt:${password}@${address.host}:${String(address.port)}/mgmt`;
    return { databaseUrl, version: binaries.version, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
};

/** Returns the script that administrators run with psql, whose variable this sets. */
const readRoleScript = async (password: string): Promise<string> => {
  const script = await readFile(new URL("../postgres/role.sql", import.meta.url), "utf8");
  return script.replaceAll(/^\\getenv .*$/gm, "").replaceAll(":'password'", escapeLiteral(password));
};
