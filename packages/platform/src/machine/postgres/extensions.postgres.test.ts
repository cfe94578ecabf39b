import { copyFile, lstat, mkdir, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type OpenDatabases, openDatabases } from "@mgmt/cluster/open-databases";
import type { ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import { chooseEphemeralParent } from "../data-dir/directories.js";
import { PostgresServer, type ServerOptions } from "./server.js";
import { makeCluster, newTenant, ownClusterAt, temporaryDirectory } from "../../../test/cluster.js";

let directory: string;
let options: ServerOptions;
/** Directory of the extensions of a Postgres that this test can change; undefined where it cannot be copied. */
let extensions: string | undefined;
let server: PostgresServer;
let databases: OpenDatabases;
/** The databases that the tests have made. */
const recorded: ApiDatabase[] = [];
const clients: Client[] = [];

/** Makes an installation of links to another one, in which only the program itself is a copy: it finds the others by its own path. */
const copyInstallation = async (bin: string, to: string): Promise<string | undefined> => {
  const share = join(await realpath(bin), "..", "share", "postgresql");
  if ((await lstat(share).catch(() => undefined)) === undefined) return undefined;
  const linkAll = async (from: string, target: string, except: string): Promise<void> => {
    await mkdir(target, { recursive: true });
    for (const name of await readdir(from))
      if (name !== except) await symlink(join(from, name), join(target, name));
  };
  await linkAll(bin, join(to, "bin"), "postgres");
  await copyFile(join(bin, "postgres"), join(to, "bin", "postgres"));
  await symlink(join(bin, "..", "lib"), join(to, "lib"));
  await linkAll(share, join(to, "share", "postgresql"), "extension");
  const copy = join(to, "share", "postgresql", "extension");
  await linkAll(join(share, "extension"), copy, "");
  return copy;
};

const start = async (): Promise<void> => {
  server = await PostgresServer.start(options);
  databases = await openDatabases(ownClusterAt(options.port, { major: options.binaries.major }), recorded);
};

const stop = async (): Promise<void> => {
  await databases.close();
  await server.stop();
};

beforeAll(async () => {
  directory = await temporaryDirectory(await chooseEphemeralParent());
  options = await makeCluster(directory);
  const installation = join(directory, "installation");
  if (options.binaries.major >= 18)
    extensions = await copyInstallation(options.binaries.directory, installation);
  if (extensions === undefined) return;
  options = { ...options, binaries: { ...options.binaries, directory: join(installation, "bin") } };
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  if (extensions !== undefined) await stop();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Stands in for pgvector: its function, like those in C, is one that only a superuser may make. */
const install = async (folder: string, name: string): Promise<void> => {
  await writeFile(
    join(folder, `${name}.control`),
    "comment = 'stand-in'\ndefault_version = '1.0'\nrelocatable = true\n",
  );
  const script =
    "create function vector_size(integer) returns integer language internal immutable as 'int4abs';\n";
  await writeFile(join(folder, `${name}--1.0.sql`), script);
};

const connect = async ({ id, credential: { user, pass } }: ReturnType<typeof newTenant>): Promise<Client> => {
  const client = new Client({ host: "127.0.0.1", port: options.port, user, password: pass, database: id });
  clients.push(client);
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

const create = async (source: Parameters<OpenDatabases["engine"]["create"]>[1] = { type: "empty" }) => {
  const tenant = newTenant();
  await databases.engine.create(tenant.id, source, [tenant.credential]);
  recorded.push({ databaseId: tenant.id, credentials: [tenant.credential], backupIds: [] });
  return tenant;
};

it("lets the owner of a database create pgvector where the server has it, and no other untrusted extension", async ({
  skip,
}) => {
  if (extensions === undefined) return skip("This Postgres cannot be copied, or is older than 18");
  await install(extensions, "vector");
  await install(extensions, "other");
  await start();
  const tenant = await create();
  const owner = await connect(tenant);
  await owner.query("create extension vector");
  expect((await owner.query("select vector_size(-3) as size")).rows).toEqual([{ size: 3 }]);
  for (const name of ["other", "dblink"])
    await expect(owner.query(`create extension ${name}`)).rejects.toMatchObject({ code: "42501" });
  // Neither where the extensions are, nor which ones are trusted, is for the tenant to say.
  await expect(owner.query("set extension_control_path = '/tmp'")).rejects.toMatchObject({ code: "42501" });
  await owner.query(
    "drop extension vector; create schema app; create extension if not exists vector schema app",
  );

  const copy = await connect(await create({ type: "database", databaseId: tenant.id }));
  await copy.query("drop extension vector; create extension vector");
  expect((await copy.query("select vector_size(-3) as size")).rows).toEqual([{ size: 3 }]);
});

it("follows what the server has when it starts", async ({ skip }) => {
  if (extensions === undefined) return skip("This Postgres cannot be copied, or is older than 18");
  await install(extensions, "vector");
  await start();
  await stop();
  for (const name of ["vector.control", "vector--1.0.sql"]) await rm(join(extensions, name));
  await start();
  const owner = await connect(await create());
  await expect(owner.query("create extension vector")).rejects.toMatchObject({
    code: "0A000",
    message: 'extension "vector" is not available',
  });
  const { rowCount } = await owner.query("select from pg_available_extensions where name = 'vector'");
  expect(rowCount).toBe(0);
});
