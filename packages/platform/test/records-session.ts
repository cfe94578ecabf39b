import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import type { Platform } from "../src/index.js";

/** Opens a session of the superuser in the database of the records. */
export const connectToRecords = async (
  dataDir: string,
  { postgresPort }: Platform["ready"],
): Promise<Client> => {
  const manifest = JSON.parse(await readFile(join(dataDir, "platform.json"), "utf8"));
  const client = new Client({
    host: "127.0.0.1",
    port: postgresPort,
    user: "postgres",
    password: manifest.postgres.password,
    database: "postgres",
  });
  await client.connect();
  return client;
};
