import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Platform, startPlatform } from "@mgmt/platform";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { expectValid, schemaOf } from "../../../test/command-schemas.js";
import { noConfigDir, temporaryFolder } from "../../../test/folders.js";
import { runInProcess, type Setup } from "../../../test/in-process.js";
import { postgresFolder, postgresPath, withPostgres } from "../../../test/commands/db/system-postgres.js";
import type { Result } from "../../../test/result.js";

const root = temporaryFolder();
let platform: Platform;
let folder: string;
let ids: { readonly shop: string; readonly copy: string };
/** An empty database that no test has used. */
let unused: string | undefined;

// Runs a Postgres whose pg_dump is as new as the server.
beforeAll(async () => {
  await ensureBuilt();
  vi.stubEnv("MGMT_POSTGRES", postgresFolder);
  platform = await startPlatform({ port: 0, ephemeral: true, requireSignInKey: false });
  vi.unstubAllEnvs();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(root, "data-"));
  const copy = (unused ??= await createDatabase());
  ids = {
    shop: await createDatabase(),
    get copy() {
      unused = undefined;
      return copy;
    },
  };
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: postgresPath,
  MGMT_BASE_URL: platform.ready.baseUrl,
  MGMT_TOKEN: platform.ready.token,
});
const mgmt = (words: readonly string[], setup: Setup = {}): Promise<Result> =>
  runInProcess(words, { cwd: folder, ...setup, env: { ...environment(), ...setup.env } });
const db = (line: string, setup: Setup = {}): Promise<Result> => mgmt(["db", ...line.split(" ")], setup);

const createDatabase = async (): Promise<string> => {
  const { json } = await mgmt(["projects", "create", "shop", "--wait", "-o", "json"]);
  return (json as { database: { id: string } }).database.id;
};
const urls = new Map<string, string>();
const urlOf = async (database: string): Promise<string> => {
  const url = urls.get(database) ?? (await mgmt(["connection-string", database])).stdout.trim();
  urls.set(database, url);
  return url;
};
const sql = async (database: string, ...statements: string[]): Promise<unknown[][]> => {
  const client = new pg.Client({ connectionString: await urlOf(database) });
  await client.connect();
  try {
    let rows: unknown[][] = [];
    for (const text of statements) ({ rows } = await client.query({ text, rowMode: "array" }));
    return rows;
  } finally {
    await client.end();
  }
};
/** Changes a setting of all later sessions in a database. */
const change = async (database: string, setting: string): Promise<void> => {
  const [[name] = []] = await sql(database, "select quote_ident(current_database())");
  await sql(database, `alter database ${String(name)} set ${setting}`);
};
const fill = (database: string): Promise<unknown[][]> =>
  sql(
    database,
    `create table notes (id int primary key, "a 'name'" text)`,
    "insert into notes values (1, 'one'), (2, 'two')",
    "create view short as select id from notes",
  );
const notes = (database: string): Promise<unknown[][]> => sql(database, "select * from notes order by id");
const systemProgram = (name: string): string => join(postgresFolder ?? "", name);
const passwordOf = (url: string): string => decodeURIComponent(new URL(url).password);

describe.skipIf(!postgresFolder)(withPostgres("mgmt db dump and restore"), () => {
  it.each([
    ["custom", "shop.dump", "pg_restore"],
    ["plain", "shop.sql", null],
  ])(
    "carry a database over in the format %s, which the name of the file chooses",
    async (format, file, program) => {
      await fill(ids.shop);
      const dumped = await db(`dump ${ids.shop} --file ${file} -o json`);
      expect({ ...dumped, json: dumped.json }).toMatchObject({
        status: 0,
        stderr: "",
        json: { databaseId: ids.shop, format, file: join(folder, file), bytes: expect.any(Number) },
      });
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual([file]);
      const restored = await db(`restore ${ids.copy} --file ${file} -o json`);
      expect({ status: restored.status, stderr: restored.stderr }).toEqual({ status: 0, stderr: "" });
      expect(restored.json).toEqual({ databaseId: ids.copy, file: join(folder, file), program });
      expectValid((await schemaOf("db restore")).result, restored.json);
      expect(await notes(ids.copy)).toEqual([
        [1, "one"],
        [2, "two"],
      ]);
    },
  );

  it("dumps parts of a database", async () => {
    await fill(ids.shop);
    await sql(ids.shop, "create table other ()");
    await db(`dump ${ids.shop} --file schema.sql --schema-only --table notes`);
    const text = readFileSync(join(folder, "schema.sql"), "utf8");
    expect(text).toContain("CREATE TABLE public.notes");
    expect(text).not.toMatch(/COPY|other/);
  });

  it("dumps tables by their names in the database, and writes no dump without one of them", async () => {
    await sql(
      ids.shop,
      'create schema "Sales"',
      ...['"User"', '"user"', '"Us|er"', '"a.b"', '"Sales"."Items"'].map((name) => `create table ${name} ()`),
    );
    for (const [flags, ...tables] of [
      ["--table User", "public.User"],
      ["--table Us*", "public.User", "public.Us|er"],
      ["--table ?ser", "public.User", "public.user"],
      ['--table Us|er --table "a.b"', "public.Us|er", "public.a.b"],
      ["--table Sales.Items --table public.user", "Sales.Items", "public.user"],
    ]) {
      const { status, stderr } = await db(`dump ${ids.shop} --file x.sql ${String(flags)}`);
      expect(status, stderr).toBe(0);
      const text = readFileSync(join(folder, "x.sql"), "utf8").replaceAll('"', "");
      rmSync(join(folder, "x.sql"));
      const created = [...text.matchAll(/^CREATE TABLE (.*) \($/gm)];
      expect(created.map(([, name]) => name)).toEqual(tables);
    }
    for (const names of ["User --table missing", "USER", "Sales.User"])
      expect(await db(`dump ${ids.shop} --file x.sql --table ${names}`)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/no matching .*were found.*--table takes names as the database has/s),
      });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("writes to standard output, and reads standard input, as in a pipe", async () => {
    await fill(ids.shop);
    const env = { ...environment(), MGMT_CONFIG_DIR: noConfigDir };
    const run = async (args: string[], input = ""): Promise<string> => {
      const child = spawn(process.execPath, [bin, "db", ...args], {
        env,
        cwd: folder,
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(input, "latin1");
      const chunks: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      expect(await once(child, "close")).toEqual([0, null]);
      return Buffer.concat(chunks).toString("latin1");
    };
    const text = await run(["dump", ids.shop]);
    expect(text).toContain("CREATE TABLE public.notes");
    await run(["restore", ids.copy, "--file", "-"], text);
    expect(await notes(ids.copy)).toHaveLength(2);
    const archive = await run(["dump", ids.shop, "--format", "custom"]);
    const asked = await mgmt(["db", "restore", ids.copy, "--file", "-"], {
      stdin: "PGDMP",
    });
    expect(asked).toMatchObject({ status: 3, stderr: expect.stringContaining("standard input is read") });
    await run(["restore", ids.copy, "--file", "-", "--clean", "--yes"], archive);
    expect(await notes(ids.copy)).toHaveLength(2);
  });

  it("escapes what a terminal or a log would act on when it prints a dump, and leaves a file as it is", async () => {
    const hostile = "\u001b]52;c;eA==\u0007\u202e";
    await sql(
      ids.shop,
      "create table notes (text text)",
      `insert into notes values ('${hostile}'), ('##vso[task.setvariable variable=x]y')`,
    );
    const printed = await db(`dump ${ids.shop} --file -`, { terminal: true });
    expect(printed.status).toBe(0);
    expect(printed.stdout).toContain("\\u001b]52;c;eA==\\u0007\\u202e\n\\u0023#vso[task");
    expect(printed.stdout).not.toContain("\u001b");
    await db(`dump ${ids.shop} --file x.sql`);
    expect(readFileSync(join(folder, "x.sql"), "utf8")).toContain(`${hostile}\n##vso`);
  });

  it("changes nothing if a part of the dump cannot be restored, and --clean replaces what is there", async () => {
    await fill(ids.shop);
    await sql(ids.shop, "create table a_first ()");
    await fill(ids.copy);
    await sql(ids.copy, "insert into notes values (3, 'three')");
    await db(`dump ${ids.shop} --file shop.dump`);
    expect(await db(`restore ${ids.copy} --file shop.dump`)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("which has 2 tables and views (public.notes, public.short)"),
    });
    const failed = await db(`restore ${ids.copy} --file shop.dump --yes`);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(
      /shop\.dump: .*already exists \(SQLSTATE 42P07\) \(db:statement_failed\)\nhint: Nothing was changed/,
    );
    expect(failed.stderr).toContain("--clean");
    expect(await sql(ids.copy, "select to_regclass('a_first')")).toEqual([[null]]);
    expect(await notes(ids.copy)).toHaveLength(3);
    expect((await db(`restore ${ids.copy} --file shop.dump --clean --yes`)).status).toBe(0);
    expect(await notes(ids.copy)).toHaveLength(2);
  });
});

describe.skipIf(!postgresFolder)(withPostgres("mgmt db seed"), () => {
  beforeEach(() => writeFileSync(join(folder, "seed.sql"), "insert into notes values (7, 'seven');\n"));

  it("runs SQL, and asks only if tables have rows", async () => {
    await sql(ids.shop, "create table notes (id int, name text)");
    await sql(
      ids.shop,
      "create table _prisma_migrations (id int)",
      "insert into _prisma_migrations values (1)",
    );
    expect((await db(`seed ${ids.shop}`)).status).toBe(0);
    const again = await db(`seed ${ids.shop}`);
    expect(again).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("1 tables with rows (public.notes)"),
    });
    expect(await notes(ids.shop)).toEqual([[7, "seven"]]);
  });

  it("names the tables that have rows, whatever their names are", async () => {
    await sql(
      ids.shop,
      "create table emptied as select 1 as a; delete from emptied",
      `create table "a|b\nc" as select 1 as a`,
      "create table parts (a int) partition by range (a); create table part partition of parts default",
      "insert into parts values (1)",
      "create table parent (a int); create table child () inherits (parent); insert into child values (1)",
      "create table hidden as select 1 as a; alter table hidden enable row level security, force row level security",
      "create view seen as select 1 as a",
    );
    const { status, stderr } = await db(`seed ${ids.shop}`);
    expect(status).toBe(3);
    expect(stderr).toContain(
      `4 tables with rows (public."a|b c", public.child, public.hidden, public.parts)`,
    );
  });

  it("runs nothing of a database user who replaces functions and operators", async () => {
    const file = join(folder, "owned");
    const run = `touch ${file}`;
    await sql(
      ids.shop,
      "create table notes (id int, name text)",
      `create function public.format(text, text, name, name) returns text language sql immutable as
          $$ select E'select ''x'' where false \n\\! ${run}\n' $$`,
      `create function public.done(text) returns text language sql immutable as
           $$ select E'["select ''x'' where false \\n\\\\! ${run}\\n"]' $$;
         create function public.step(text, text) returns text language sql immutable as 'select $2';
         create aggregate public.json_agg(text) (sfunc = public.step, stype = text, finalfunc = public.done)`,
      `create function public.same("char", text) returns bool language plpgsql as
           $$ begin raise exception E'\n\\! ${run}\n'; end $$;
         create operator public.= (leftarg = "char", rightarg = text, function = public.same)`,
    );
    await change(ids.shop, "search_path = public, pg_catalog");
    const { status, stderr } = await db(`seed ${ids.shop}`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("Ran ") });
    expect(existsSync(file)).toBe(false);
  });

  it("is one transaction, and names the line that failed", async () => {
    await sql(ids.shop, "create table notes (id int, name text)");
    writeFileSync(join(folder, "bad.sql"), "insert into notes values (1, 'a');\nselect nothing;\n");
    const { status, stderr } = await db(`seed ${ids.shop} --file bad.sql`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/bad\.sql:2: .*nothing.*SQLSTATE 42703.*hint: Nothing was changed/s);
    expect(await notes(ids.shop)).toEqual([]);
  });

  it("says what is kept of a script with transactions of its own", async () => {
    await sql(ids.shop, "create table notes (id int primary key, name text)");
    const script =
      "begin;\ninsert into notes values (1, 'a');\ncommit;\ninsert into notes values (2), (1);\n";
    writeFileSync(join(folder, "own.sql"), script);
    const failed = await db(`seed ${ids.shop} --file own.sql`);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain("own.sql:4: duplicate key");
    expect(failed.stderr).toContain("Key (id)=(1) already exists. The script has transactions of its own");
    expect(failed.stderr).not.toContain("Nothing was changed");
    expect(await notes(ids.shop)).toEqual([[1, "a"]]);
    writeFileSync(join(folder, "open.sql"), "begin;\ninsert into notes values (3, 'c');\n");
    const open = await db(`seed ${ids.shop} --file open.sql --yes`);
    expect(open).toMatchObject({ status: 1, stderr: expect.stringContaining("db:open_transaction") });
    writeFileSync(join(folder, "good.sql"), "begin;\ninsert into notes values (2, 'b');\ncommit;\n");
    expect((await db(`seed ${ids.shop} --file good.sql --yes`)).status).toBe(0);
    expect(await notes(ids.shop)).toHaveLength(2);
  });

  it("restores large objects in the same transaction as the rest", async () => {
    await sql(ids.shop, "select lo_from_bytea(4711, 'large')", "create table notes (id int)");
    await db(`dump ${ids.shop} --file large.sql`);
    const text = readFileSync(join(folder, "large.sql"), "utf8");
    expect(text).toMatch(/^COMMIT;$/m);
    const bad = text.replace(/(?=--\n-- PostgreSQL database dump complete)/, "select nothing;\n");
    writeFileSync(join(folder, "bad.sql"), bad);
    const failed = await db(`restore ${ids.copy} --file bad.sql`);
    expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining("Nothing was changed") });
    expect(
      await sql(ids.copy, "select to_regclass('notes'), (select count(*)::int from pg_largeobject_metadata)"),
    ).toEqual([[null, 0]]);
    expect((await db(`restore ${ids.copy} --file large.sql`)).status).toBe(0);
    expect(await sql(ids.copy, "select convert_from(lo_get(4711), 'UTF8')")).toEqual([["large"]]);
  });

  it("leaves nothing of a compressed dump that is damaged at its end", async () => {
    await fill(ids.shop);
    await db(`dump ${ids.shop} --file shop.dump`);
    const packed = gzipSync(readFileSync(join(folder, "shop.dump")));
    const checksum = packed.length - 8;
    packed.writeUInt8(packed.readUInt8(checksum) ^ 1, checksum);
    writeFileSync(join(folder, "damaged.dump.gz"), packed);
    const { status, stderr } = await db(`restore ${ids.copy} --file damaged.dump.gz`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("compressed data is damaged"),
    });
    expect(await sql(ids.copy, "select to_regclass('notes')")).toEqual([[null]]);
  });

  it("undoes a script that the server reads in another way, because of a setting of its database", async () => {
    await sql(ids.shop, "create table notes (id int, name text)");
    await change(ids.shop, "standard_conforming_strings = off");
    writeFileSync(
      join(folder, "end.sql"),
      "insert into notes values (1, 'a');\ninsert into notes values (2, 'C:\\');\n",
    );
    const unfinished = await db(`seed ${ids.shop} --file end.sql`);
    expect(unfinished).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/end\.sql:2: .*standard_conforming_strings is off.*Nothing was changed/s),
    });
    expect(await notes(ids.shop)).toEqual([]);
    const commit = "insert into notes values (1, 'a\\'');\ncommit;\nselect nothing; --');\n";
    writeFileSync(join(folder, "commit.sql"), commit);
    const committed = await db(`seed ${ids.shop} --file commit.sql`);
    expect(committed.stderr).toMatch(/commit\.sql:2: .*standard_conforming_strings.*Nothing was changed/s);
    expect(await notes(ids.shop)).toEqual([]);
  });

  it("restores what a newer pg_dump has written", async () => {
    const [start, end] = ["-- PostgreSQL database dump", "-- PostgreSQL database dump complete"];
    const dump = `${start}\n\\restrict a1\nSET transaction_timeout = 0;\ncreate table notes (id int);\n${end}\n\\unrestrict a1\n`;
    writeFileSync(join(folder, "new.sql"), dump);
    const { status, stderr } = await db(`restore ${ids.shop} --file new.sql`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining("complete") });
    expect(await notes(ids.shop)).toEqual([]);
  });

  it("runs a script of many kinds of statements, byte for byte", async () => {
    const script = Buffer.concat([
      Buffer.from("set client_encoding = 'LATIN1';\ncreate table notes (id int, name text);\n"),
      Buffer.from("copy notes from stdin;\n1\té\n\\.\ninsert into notes values (2, 'é');\n", "latin1"),
      Buffer.from("create function two() returns int begin atomic select 2; end; copy notes to stdout;\n"),
      Buffer.from("do $$ begin raise notice 'é'; end $$; insert into notes values (two() + 1, E'\\';\\'')"),
    ]);
    writeFileSync(join(folder, "kinds.sql"), script);
    expect((await db(`seed ${ids.shop} --file kinds.sql`)).stderr).toContain("Ran");
    expect(await notes(ids.shop)).toEqual([
      [1, "é"],
      [2, "é"],
      [3, "';'"],
    ]);
  });

  it("runs no command of psql that it finds only when backslashes escape", async () => {
    await sql(ids.shop, "create table notes (id int)");
    const lines = ["insert into notes values (1);", "set standard_conforming_strings = off;"];
    writeFileSync(join(folder, "strings.sql"), [...lines, "select '\\'' ; \\! date", "--';"].join("\n"));
    const { status, stderr } = await db(`seed ${ids.shop} --file strings.sql`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/strings\.sql:3: standard_conforming_strings is off.*Nothing was changed/s);
    expect(await sql(ids.shop, "select * from notes")).toEqual([]);
  });

  it("undoes rows that cannot be copied, and a commit that is refused", async () => {
    await sql(ids.shop, "create table notes (id int unique deferrable initially deferred)");
    const rows = "1\n".repeat(100_000);
    writeFileSync(join(folder, "rows.sql"), `copy notes from stdin;\n${rows}x\n${rows}\\.\n`);
    const failed = await db(`seed ${ids.shop} --file rows.sql`);
    expect(failed.stderr).toMatch(/rows\.sql:1: invalid input syntax.*Nothing was changed/s);
    writeFileSync(join(folder, "twice.sql"), "insert into notes values (1), (1);");
    const refused = await db(`seed ${ids.shop} --file twice.sql`);
    expect(refused.stderr).toMatch(/duplicate key.*Nothing was changed/s);
    expect(await sql(ids.shop, "select * from notes")).toEqual([]);
  });

  it("runs commands of psql only with --allow-meta-commands, and finds files beside the script", async () => {
    await sql(ids.shop, "create table notes (id int, name text)");
    mkdirSync(join(folder, "db"));
    writeFileSync(join(folder, "db/part.sql"), "insert into notes values (1, 'one');\n");
    writeFileSync(join(folder, "db/all.sql"), "\\ir part.sql\n");
    const refused = await db(`seed ${ids.shop} --file db/all.sql`);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("db:meta_command") });
    expect(refused.stderr).toContain("--allow-meta-commands");
    const allowed = await db(`seed ${ids.shop} --file db/all.sql --allow-meta-commands -o json`);
    expect(allowed).toMatchObject({ status: 0, json: { program: "psql" } });
    expect(await notes(ids.shop)).toEqual([[1, "one"]]);
    writeFileSync(join(folder, "all.sql.gz"), gzipSync("\\! touch owned\n"));
    const packed = await db(`seed ${ids.shop} --file all.sql.gz --allow-meta-commands --yes`);
    expect(packed).toMatchObject({ status: 2, stderr: expect.stringContaining("compressed") });
    const piped = await db(`seed ${ids.shop} --file - --allow-meta-commands --yes`, {
      stdin: "insert into notes values (2, :'x');\n\\echo a\n".replace(":'x'", "'two'"),
    });
    expect(piped.status).toBe(0);
    expect(await notes(ids.shop)).toHaveLength(2);
  });
});

describe.skipIf(!postgresFolder)(withPostgres("a program of Postgres that fails"), () => {
  it("passes the detail of the server on, with a hint by its code", async () => {
    writeFileSync(
      join(folder, "twice.sql"),
      "create table t (id int primary key); insert into t values (7), (7);\n",
    );
    const { status, stderr } = await db(`seed ${ids.shop} --file twice.sql`);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /duplicate key value .*23505.*\nhint: Key \(id\)=\(7\) already exists\. Nothing was/,
    );
    expect(stderr).toContain("conflict with a constraint");
    expect(stderr).not.toContain("--clean");
  });

  it("ends quietly when nobody reads the dump any more", async () => {
    await sql(ids.shop, "create table notes (id int)", "insert into notes select generate_series(1, 100000)");
    const env = { ...environment(), MGMT_CONFIG_DIR: noConfigDir };
    const child = spawn(process.execPath, [bin, "db", "dump", ids.shop], { env, cwd: folder });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await once(child, "close")).toEqual([141, null]);
    expect(stderr).toBe("");
  });
});

/** Objects that pg_restore --clean does not replace: what is first in both databases, what is newer in the other, and what becomes of that. */
const replaced: readonly (readonly [first: string, newer: string, query: string, row: unknown[]])[] = [
  ["create table plain as select 1 as id", "insert into plain values (2)", "select id from plain", [1]],
  // A partitioned table with a key, and a newer partition.
  [
    "create table parted (id int primary key) partition by range (id); create table t1 partition of parted for values from (0) to (9); insert into parted values (1)",
    "create table t2 partition of parted for values from (9) to (99)",
    "select tableoid::regclass::text, id from parted",
    ["t1", 1],
  ],
  // A newer table refers to it, and keeps its own rows.
  [
    "create table items (id int primary key); insert into items values (1)",
    "create table orders (item int references items); insert into orders values (1)",
    "select (select count(*)::int from items), (select count(*)::int from orders), (select count(*)::int from pg_constraint where contype = 'f')",
    [1, 1, 0],
  ],
  [
    "create table viewed as select 1 as id",
    "create view newer_view as select * from viewed",
    "select to_regclass('viewed')::text, to_regclass('newer_view')::text",
    ["viewed", null],
  ],
  // A newer table has a column of its type.
  [
    "create type mood as enum ('a'); create table moods as select 'a'::mood as mood",
    "create table other_moods (id int, mood mood); insert into other_moods values (7)",
    "select moods.mood::text, other_moods.* from moods, other_moods",
    ["a", 7],
  ],
  // pg_dump first creates the view empty.
  [
    "create table keyed (id int primary key, n int); create view grouped as select id, n from keyed group by id",
    "create view of_grouped as select * from grouped",
    "select to_regclass('grouped')::text, to_regclass('of_grouped')::text",
    ["grouped", null],
  ],
  // Another table is in the same schema.
  [
    'create schema "S"; create table "S".t as select 1 as id',
    'create table "S".other as select 2 as id; insert into "S".t values (3)',
    'select t.id, other.id from "S".t, "S".other',
    [1, 2],
  ],
  // A newer trigger calls the function; the large object has changed.
  [
    "create function f() returns trigger language plpgsql as 'begin return new; end'; create table triggered (id int); select lo_from_bytea(7, 'x')",
    "create table newly_triggered (id int); create trigger u before insert on newly_triggered for each row execute function f(); select lo_put(7, 0, 'y')",
    "select (select count(*)::int from pg_trigger), encode(lo_get(7), 'escape')",
    [0, "x"],
  ],
];

describe.skipIf(!postgresFolder)(withPostgres("--clean"), () => {
  it("replaces everything that the dump has, and what depends on it", async () => {
    const firsts = replaced.map(([first]) => first);
    await sql(ids.shop, ...firsts);
    expect((await db(`dump ${ids.shop} --file x.dump`)).status).toBe(0);
    for (const line of [
      `copy ${ids.shop} ${ids.copy} --clean --yes`,
      `restore ${ids.copy} --file x.dump --clean --yes`,
      `import ${ids.copy} --source-env OLD --clean --yes`,
    ]) {
      await sql(
        ids.copy,
        "drop schema public cascade; create schema public",
        'drop schema if exists "S" cascade',
        "select lo_unlink(oid) from pg_largeobject_metadata",
        ...firsts,
        ...replaced.map(([, newer]) => newer),
      );
      const { status, stderr } = await db(line, { env: { OLD: await urlOf(ids.shop) } });
      expect({ line, status, stderr }).toMatchObject({ status: 0 });
      for (const [, , query, row] of replaced) expect(await sql(ids.copy, query)).toEqual([row]);
    }
  });

  it("changes nothing if something cannot be replaced", async () => {
    await sql(ids.shop, "create table a as select 1 as id", "create table t as select 1 as id");
    await sql(ids.copy, "create table a as select 7 as id", "create view t as select * from a");
    const { status, stderr } = await db(`copy ${ids.shop} ${ids.copy} --clean --yes`);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Nothing was changed"),
    });
    expect(await sql(ids.copy, "select a.id from a, t")).toEqual([[7]]);
  });

  it("is refused with rows only, which it would double", async () => {
    for (const id of [ids.shop, ids.copy]) await sql(id, "create table log as select 1 as line");
    await db(`dump ${ids.shop} --file rows.dump --data-only`);
    for (const line of [
      `copy ${ids.shop} ${ids.copy} --data-only --clean --yes`,
      `import ${ids.copy} --source-env OLD --clean --data-only --yes`,
      `restore ${ids.copy} --file rows.dump --clean --yes`,
    ]) {
      const { status, stderr } = await db(line, { env: { OLD: await urlOf(ids.shop) } });
      expect({ line, status, stderr }).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("--clean"),
      });
    }
    expect(await sql(ids.copy, "select line from log")).toEqual([[1]]);
  });

  it("is not what the error suggests if rows are only added", async () => {
    for (const id of [ids.shop, ids.copy])
      await sql(id, "create table t (id int primary key)", "insert into t values (1)");
    const { status, stderr } = await db(`copy ${ids.shop} ${ids.copy} --data-only --yes`);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("Key (id)=(1) already exists"),
    });
    expect(stderr).not.toContain("--clean");
  });
});

describe.skipIf(!postgresFolder)(withPostgres("mgmt db copy and import"), () => {
  it("copies a database into another one", async () => {
    await fill(ids.shop);
    const { status, json, stderr } = await db(`copy ${ids.shop} ${ids.copy} -o json`);
    expectValid((await schemaOf("db copy")).result, json);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toEqual({ from: ids.shop, databaseId: ids.copy, bytes: expect.any(Number) });
    expect(await notes(ids.copy)).toHaveLength(2);
    const again = await db(`copy ${ids.shop} ${ids.copy} --yes`);
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining("already exists") });
    expect((await db(`copy ${ids.shop} ${ids.copy} --clean --yes`)).status).toBe(0);
    expect(await db(`copy ${ids.shop} ${ids.shop}`)).toMatchObject({ status: 2 });
  });

  it("leaves the other database as it is if the dump breaks off", async () => {
    await fill(ids.shop);
    const programs = mkdtempSync(join(root, "broken-"));
    const real = systemProgram("pg_dump");
    const text = `#!/bin/sh
if [ "$1" = --version ]; then exec ${real} --version; fi
${real} "$@" | head -c 1500
exit 1
`;
    writeFileSync(join(programs, "pg_dump"), text, { mode: 0o755 });
    const env = { PATH: `${programs}:${postgresPath}` };
    const { status, stderr } = await db(`copy ${ids.shop} ${ids.copy}`, { env });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("pg_dump failed") });
    expect(await sql(ids.copy, "select to_regclass('notes')")).toEqual([[null]]);
  });

  it("imports from a connection string, which is no argument of a program", async () => {
    await fill(ids.shop);
    const url = `${await urlOf(ids.shop)}&schema=public`;
    writeFileSync(join(folder, "url"), `${url}\n`);
    const programs = mkdtempSync(join(root, "recording-"));
    for (const name of ["psql", "pg_dump", "pg_restore"]) {
      const real = systemProgram(name);
      const log = join(programs, "log");
      const text = `#!/bin/sh\necho "$0 $*" >> ${log}; env | grep MGMT_ >> ${log}\nexec ${real} "$@"\n`;
      writeFileSync(join(programs, name), text, { mode: 0o755 });
    }
    const env = { PATH: `${programs}:${postgresPath}` };
    const result = await db(`import ${ids.copy} --source-file url -o json`, { env });
    expectValid((await schemaOf("db import")).result, result.json);
    expect(result.status).toBe(0);
    expect(result.errors).toMatchObject([
      { notice: { code: "db:parameters_left_out", parameters: ["schema"], unknown: 0 } },
    ]);
    expect(await notes(ids.copy)).toHaveLength(2);
    const log = readFileSync(join(programs, "log"), "utf8");
    expect(log).toContain("pg_dump --no-password");
    for (const secret of [passwordOf(url), passwordOf(await urlOf(ids.copy)), "MGMT_"]) {
      expect(log).not.toContain(secret);
      expect(result.stdout).not.toContain(secret);
    }
  });

  it("refuses a server that does not respond, and does not repeat its password", async () => {
    const env = { X: "postgresql://u:hidden@127.0.0.1:1/db" };
    const result = await db(`import ${ids.copy} --source-env X`, { env });
    expect(result).toMatchObject({ status: 9, stderr: expect.stringContaining("database:unreachable") });
    expect(result.stderr).not.toContain("hidden");
  });
});

describe.skipIf(!postgresFolder)(withPostgres("a signal"), () => {
  it("ends the program, and says that nothing was changed", async () => {
    await sql(ids.shop, "create table notes (id int, name text)");
    const text =
      "insert into notes values (1, 'a'); select pg_advisory_xact_lock(42); select pg_sleep(600);\n";
    writeFileSync(join(folder, "slow.sql"), text);
    const env = { ...environment(), MGMT_CONFIG_DIR: noConfigDir };
    const child = spawn(process.execPath, [bin, "db", "seed", ids.shop, "--file", "slow.sql"], {
      env,
      cwd: folder,
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    const isFree = async (): Promise<unknown> =>
      (await sql(ids.shop, "select pg_try_advisory_lock(42)"))[0]?.[0];
    await vi.waitFor(async () => expect(await isFree()).toBe(false));
    child.kill("SIGINT");
    const [status] = (await once(child, "close")) as [number | null];
    expect({ status, stderr }).toMatchObject({
      status: 130,
      stderr: expect.stringContaining("is unchanged unless"),
    });
    await vi.waitFor(async () => expect(await isFree()).toBe(true));
    expect(await notes(ids.shop)).toEqual([]);
  });

  it("leaves no part of a dump", async () => {
    await sql(ids.shop, "create table notes (id int)", "insert into notes select generate_series(1, 100000)");
    const programs = mkdtempSync(join(root, "slow-"));
    const real = systemProgram("pg_dump");
    const text = `#!/bin/sh\nif [ "$1" = --version ]; then exec ${real} --version; fi\necho part; touch started; exec sleep 600\n`;
    writeFileSync(join(programs, "pg_dump"), text, { mode: 0o755 });
    const env = {
      ...environment(),
      MGMT_CONFIG_DIR: noConfigDir,
      PATH: `${programs}:${postgresPath}`,
    };
    const child = spawn(process.execPath, [bin, "db", "dump", ids.shop, "--file", "x.sql"], {
      env,
      cwd: folder,
    });
    await vi.waitFor(() => expect(existsSync(join(folder, "started"))).toBe(true));
    child.kill("SIGINT");
    const [status] = (await once(child, "close")) as [number | null];
    expect(status).toBe(130);
    expect(readdirSync(folder)).toEqual(["started"]);
  });
});
