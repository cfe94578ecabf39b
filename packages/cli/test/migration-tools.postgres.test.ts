import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Platform, startPlatform } from "@mgmt/platform";
import { createClient } from "@mgmt/sdk";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "./folders.js";
import { postgresFolder, withPostgres } from "./commands/db/system-postgres.js";

/** Compares the guide "Migration tools and dumps" with what Postgres and its programs do. */
const page = readFileSync(new URL("../../../docs/guides/migration-tools.md", import.meta.url), "utf8");
const section = (heading: string): string =>
  (page.split(`\n## ${heading}\n`)[1] ?? "").split("\n## ")[0] ?? "";

const platforms: Platform[] = [];
afterAll(() => Promise.all(platforms.map((platform) => platform.stop())));

const start = async (postgres = ""): Promise<Platform> => {
  vi.stubEnv("MGMT_POSTGRES", postgres);
  const platform = await startPlatform({ port: 0, ephemeral: true, requireSignInKey: false });
  vi.unstubAllEnvs();
  platforms.push(platform);
  return platform;
};

const createDatabase = async ({ ready }: Platform): Promise<string> => {
  const client = createClient({ baseUrl: ready.baseUrl, token: ready.token });
  const { database } = await client.projects.create({ name: "shop" });
  const url = database?.connections[0]?.endpoints?.direct?.connectionString;
  if (url === undefined) throw new Error("The project has no connection string");
  return url;
};

/** Runs one statement, and returns the SQLSTATE if it is refused. */
const rejectionOf = async (client: pg.Client, statement: string): Promise<string | undefined> => {
  try {
    await client.query(statement);
    return undefined;
  } catch (error) {
    return error instanceof pg.DatabaseError ? error.code : String(error);
  }
};

describe("the guide about migration tools", () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: await createDatabase(await start()) });
    await client.connect();
  });
  afterAll(() => client.end());

  const [listed = ""] = /^`btree_gin`[^]*?\n\n/m.exec(section("Extensions")) ?? [];
  const extensions = [...listed.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

  it("lists the trusted extensions, without those for languages, and all of them can be created", async () => {
    const { rows } = await client.query<{ name: string }>(
      "select distinct name from pg_available_extension_versions where trusted and name !~ '^pl|_pl' order by 1",
    );
    expect(extensions).toEqual(rows.map(({ name }) => name));
    for (const name of extensions)
      expect(await rejectionOf(client, `create extension "${name}"`)).toBeUndefined();
  });

  it.each([
    ...["dblink", "postgres_fdw", "pg_stat_statements"].map((name) => [name, "42501"] as const),
    ...["postgis", "vector"].map((name) => [name, "0A000"] as const),
  ])("names the extension %s, which is refused with %s", async (name, code) => {
    expect(section("Extensions")).toContain(`\`${name}\``);
    expect(await rejectionOf(client, `create extension "${name}"`)).toBe(code);
  });

  const refused = [...section("What is refused").matchAll(/^\| `([^`]+)` +\| (\w{5}) /gm)].map(
    ([, statement = "", code = ""]) => [statement, code] as const,
  );

  it("lists statements that are refused", () => {
    expect(refused).toHaveLength(7);
  });

  it.each(refused)("says what is refused: %s, with %s", async (statement, code) => {
    expect(await rejectionOf(client, statement)).toBe(code);
  });
});

describe.skipIf(!postgresFolder)(withPostgres("the guide about dumps"), () => {
  const run = promisify(execFile);
  const folder = temporaryFolder();
  let platform: Platform;
  let source: string;

  const program = async (name: string, ...words: string[]): Promise<string> => {
    const { stderr } = await run(join(postgresFolder ?? "", name), words, { cwd: folder, env: {} });
    return stderr;
  };

  beforeAll(async () => {
    platform = await start(postgresFolder);
    source = await createDatabase(platform);
    const client = new pg.Client({ connectionString: source });
    await client.connect();
    await client.query(`
      create extension citext;
      create schema app;
      create table app.notes (id int primary key, body citext);
      grant select on app.notes to public;
      alter default privileges in schema app grant select on tables to public;
      insert into app.notes values (1, 'one')`);
    await client.end();
    await program("pg_dump", "--format", "custom", "--file", "as-is.dump", source);
    await program("pg_dump", "--no-owner", "--no-privileges", "--file", "without.sql", source);
  });

  const notesIn = async (connectionString: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<{ body: string }>("select body from app.notes");
    await client.end();
    return rows.map(({ body }) => body);
  };

  it("restores a dump without owners and privileges into another database", async () => {
    const target = await createDatabase(platform);
    await program("psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--file", "without.sql", target);
    expect(await notesIn(target)).toEqual(["one"]);
  });

  it("restores a dump with owners if pg_restore leaves them out", async () => {
    const target = await createDatabase(platform);
    await program("pg_restore", "--no-owner", "--no-privileges", "--dbname", target, "as-is.dump");
    expect(await notesIn(target)).toEqual(["one"]);
  });

  it("cannot restore a dump with owners, which name the role of the other database", async () => {
    const target = await createDatabase(platform);
    await expect(
      program("pg_restore", "--exit-on-error", "--dbname", target, "as-is.dump"),
    ).rejects.toMatchObject({ stderr: expect.stringMatching(/OWNER TO db_/) });
  });

  it("leaves the functions of the platform out of dumps", () => {
    expect(readFileSync(join(folder, "without.sql"), "utf8")).not.toContain("mgmt_");
  });

  it("cannot make a database with pg_restore, or dump all with pg_dumpall", async () => {
    await expect(program("pg_restore", "--create", "--dbname", source, "as-is.dump")).rejects.toMatchObject({
      stderr: expect.stringContaining("permission denied to create database"),
    });
    await expect(program("pg_dumpall", "--dbname", source)).rejects.toMatchObject({
      stderr: expect.stringContaining("permission denied"),
    });
  });
});
