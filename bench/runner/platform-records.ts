import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { mgmtProgram } from "./paths.js";
import { type ServerProcess, startServerProcess } from "./server-process.js";

/** Starts `mgmt dev` with this data directory. */
export const startPlatform = (dataDir: string): Promise<ServerProcess> =>
  startServerProcess([mgmtProgram, "dev", "--data-dir", dataDir, "--port", "0", "--output", "json"]);

/** Connects to the database with the records of `mgmt dev`. */
export const connectToRecords = async (dataDir: string, { ready }: ServerProcess): Promise<pg.Client> => {
  const manifest: { postgres: { password: string } } = JSON.parse(
    await readFile(join(dataDir, "platform.json"), "utf8"),
  );
  const client = new pg.Client({
    host: "127.0.0.1",
    port: Number(ready["postgresPort"]),
    user: "postgres",
    password: manifest.postgres.password,
    database: "postgres",
  });
  await client.connect();
  return client;
};
