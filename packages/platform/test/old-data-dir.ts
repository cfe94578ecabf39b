import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { type Platform, startPlatform } from "../src/index.js";
import { newSchema } from "../src/records/new-schema.js";
import { type Resource, control, makeProject, query } from "./api.js";

/** What a data directory has that `makeOldDirectory` has made. */
export interface OldDirectory {
  project: Resource;
  ready: Platform["ready"];
}

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

/**
 * Makes a data directory as an earlier version left it: its records are in two files, and not in the cluster.
 *
 * @param schemaVersion version of the schema with the empty tables of the records. Default: 0, for no schema.
 */
export const makeOldDirectory = async (dataDir: string, schemaVersion = 0): Promise<OldDirectory> => {
  const platform = await startPlatform({ port: 0, dataDir });
  const initial = await control(platform.ready, "GET", "/snapshot");
  const project = await makeProject(platform.ready);
  await query(project.database.connectionString, "create table notes as select 'kept' as text");
  const state = await control(platform.ready, "GET", "/snapshot");
  const client = await connectToRecords(dataDir, platform.ready);
  await client.query("drop schema mgmt cascade");
  if (schemaVersion > 0) await client.query(newSchema("mgmt", schemaVersion).join(";\n"));
  await client.end();
  await platform.stop();
  const path = join(dataDir, "platform.json");
  const manifest = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...manifest, format: 1 }), { mode: 0o600 });
  await writeFile(join(dataDir, "state.json"), JSON.stringify(state), { mode: 0o600 });
  await writeFile(join(dataDir, "initial-state.json"), JSON.stringify(initial), { mode: 0o600 });
  return { project, ready: platform.ready };
};

/** Copies a data directory, with the owners of its files. */
export const copyDirectory = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, preserveTimestamps: true });
