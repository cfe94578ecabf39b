import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { findPrograms, temporaryDirectory } from "../../test/cluster.js";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./kit-options.js";
import { DirectoryInUseError, runDaemon } from "./daemon/run-daemon.js";
import { prune } from "./daemon/cleanup.js";
import type { ServerLocation } from "./server/location.js";
import { type ServerState, readServerState } from "./server/server-state.js";
import { type TestDatabase, TestDatabases } from "./test-databases.js";

let folder = "";
let location: ServerLocation;
const daemons: { readonly controller: AbortController; readonly exited: Promise<void> }[] = [];
const opened: TestDatabases[] = [];

/** Starts the server in this process, unless that has been done. */
const start = async (): Promise<void> => {
  const controller = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const daemon = {
      controller,
      exited: runDaemon(
        { ...location, idleMs: 60_000 },
        () => {
          daemons.push(daemon);
          resolve();
        },
        controller.signal,
      ),
    };
    daemon.exited.catch((error: unknown) => {
      if (error instanceof DirectoryInUseError) resolve();
      else reject(error);
    });
  });
};

const stop = async (): Promise<void> => {
  const daemon = daemons.pop();
  daemon?.controller.abort();
  await daemon?.exited;
};

/** Returns the databases of another process. */
const openDatabases = (options: DatabaseTestOptions): TestDatabases => {
  const databases = new TestDatabases(resolveDatabaseTestOptions({ cwd: folder, ...options }), {
    location: () => Promise.resolve(location),
    start,
  });
  opened.push(databases);
  return databases;
};

const queryIn = async (
  { connectionString }: Pick<TestDatabase, "connectionString">,
  statement: string,
): Promise<unknown[]> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
};

const readState = async (): Promise<ServerState> => {
  const state = await readServerState(location.directory);
  if (state === undefined) throw new Error("The server does not run");
  return state;
};

const superuserString = async (): Promise<string> => {
  const { port, password } = await readState();
  return `postgresql://postgres:${password}@127.0.0.1:${String(port)}/postgres`;
};

/** Runs a statement as the superuser. */
const query = async (statement: string): Promise<unknown[]> =>
  queryIn({ connectionString: await superuserString() }, statement);

/** A setup that creates a table with a row, and notes that it has run. */
const setup = `echo run >> runs.txt; node migrate.mjs`;
const migration = `
  import pg from ${JSON.stringify(import.meta.resolve("pg"))};
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query("create table note (id int); insert into note values (1); create extension pgcrypto");
  await client.query("alter database " + client.database + " set timezone to 'Asia/Tokyo'");
  if (process.argv.includes(process.env.DATABASE_URL)) throw new Error("The command line has the password");
  process.exit();
`;

const readRuns = async (): Promise<string> => readFile(join(folder, "runs.txt"), "utf8").catch(() => "");

beforeAll(async () => {
  folder = await temporaryDirectory();
  const { binaries } = await findPrograms();
  location = { directory: join(folder, "server"), binaries };
  await mkdir(location.directory, { mode: 0o700 });
  await writeFile(join(folder, "migrate.mjs"), migration);
});

afterAll(async () => {
  await Promise.all(opened.map((databases) => databases.close()));
  await stop();
  await rm(folder, { recursive: true, force: true });
});

describe("test databases", () => {
  it("are copies of a template that is made once, also when processes need it at once", async () => {
    const processes = [openDatabases({ setup }), openDatabases({ setup })];
    const databases = await Promise.all([...processes, ...processes].map((each) => each.take()));
    expect(await readRuns()).toBe("run\n");
    expect(new Set(databases.map(({ database }) => database)).size).toBe(4);
    for (const database of databases) await queryIn(database, "insert into note values (2)");
    for (const database of databases) {
      expect(await queryIn(database, "select id from note order by id")).toEqual([1, 2]);
      expect(await queryIn(database, "show timezone")).toEqual(["Asia/Tokyo"]);
      expect(await queryIn(database, "select reltuples from pg_class where relname = 'note'")).toEqual([1]);
      expect(new URL(database.connectionString).hostname).toBe("127.0.0.1");
    }
  });

  it("are dropped once their sessions have ended, which nothing cuts off, and others go on", async () => {
    const databases = openDatabases({ setup });
    const [left, own, other] = [await databases.take(), await databases.take(), await databases.take()];
    const leftClient = new Client({ connectionString: left.connectionString });
    await leftClient.connect();
    await leftClient.query("begin; lock table note");
    await queryIn(other, `drop database ${own.database}`);
    const readNames = (): Promise<unknown[]> =>
      query(`select name from mgmt_test.database where name in ('${left.database}', '${own.database}')`);
    for (const database of [left, own])
      expect(await databases.release(database, { hasFailed: true })).toBeUndefined();
    await vi.waitFor(async () => expect(await readNames()).toEqual([left.database]));
    await leftClient.query("insert into note values (2); commit");
    await leftClient.end();
    await vi.waitFor(async () => expect(await readNames()).toEqual([]), { timeout: 20_000 });
    expect(await query(`select datname from pg_database where datname = '${left.database}'`)).toEqual([]);
    expect(await queryIn(other, "select id from note")).toEqual([1]);
  });

  it("are dropped with their sessions ten minutes after the end of their test", async () => {
    const databases = openDatabases({ setup });
    const testDatabase = await databases.take();
    const { database, connectionString } = testDatabase;
    const client = new Client({ connectionString });
    const cutOff = new Promise<void>((resolve) => client.on("error", () => resolve()));
    await client.connect();
    const passTime = (): Promise<unknown[]> =>
      query(
        `update mgmt_test.database set ended_at = now() - interval '11 minutes' where name = '${database}'`,
      );
    // The test itself may take longer.
    await passTime();
    await databases.release(testDatabase, { hasFailed: false });
    expect(
      await query(
        `select ended_at > now() - interval '1 minute' from mgmt_test.database where name = '${database}'`,
      ),
    ).toEqual([true]);
    await passTime();
    await query("select pg_notify('mgmt_test', '{}')");
    await cutOff;
    await vi.waitFor(async () => {
      expect(await query(`select name from mgmt_test.database where name = '${database}'`)).toEqual([]);
    });
  });

  it("fail if a copy cannot be made, of which nothing remains, and succeed again later", async () => {
    const databases = openDatabases({ setup });
    const { database } = await databases.take();
    const template = `(select template from mgmt_test.database where name = '${database}')`;
    const setSettings = (setting: string): Promise<unknown> =>
      query(`update mgmt_test.template set settings = array['${setting}'] where id = ${template}`);
    await setSettings("nonsense=1");
    const takeAll = async (): Promise<void> => {
      for (;;) await databases.take();
    };
    await expect(takeAll()).rejects.toThrow("nonsense");
    expect(
      await query(`select datname from pg_database where starts_with(datname, 'test_')
        and datname not in (select name from mgmt_test.database)`),
    ).toEqual([]);
    await setSettings("TimeZone=Asia/Tokyo");
    // Copies that have begun with the other setting still fail.
    const later = await vi.waitFor(() => databases.take(), { timeout: 20_000 });
    expect(await queryIn(later, "show timezone")).toEqual(["Asia/Tokyo"]);
  });

  it("may create databases, and drop them with their sessions", async () => {
    const database = await openDatabases({ setup }).take();
    const toAddress = (name: string): { connectionString: string } => ({
      connectionString: database.connectionString.replace(/[^/]+$/, name),
    });
    const inPostgres = toAddress("postgres");
    await queryIn(inPostgres, `create database copy_of_a_test template ${database.database}`);
    const client = new Client(toAddress("copy_of_a_test"));
    client.on("error", () => undefined);
    await client.connect();
    const ended = new Promise<void>((resolve) => client.on("end", () => resolve()));
    await queryIn(inPostgres, "drop database copy_of_a_test with (force)");
    await ended;
  });

  it("go to a test that begins to wait while its copy becomes ready", async () => {
    const { user } = await openDatabases({ setup }).take();
    const owner = user.slice("test_".length);
    await vi.waitFor(async () => {
      expect(
        await query("select count(*)::integer from mgmt_test.database where state = 'ready'"),
      ).not.toEqual([0]);
    });
    await query(
      `insert into mgmt_test.waiter (template, owner, ticket)
        select template, ${owner}, 'late' from mgmt_test.database where state = 'ready' limit 1`,
    );
    await vi.waitFor(async () => expect(await query("select ticket from mgmt_test.waiter")).toEqual([]), {
      timeout: 20_000,
    });
  });

  it("are dropped with their role when their process has ended in any way", async () => {
    const databases = openDatabases({ setup });
    const { database, user } = await databases.take();
    // The end of a process ends its session.
    await query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid::text = '${user.slice(5)}'`,
    );
    await vi.waitFor(
      async () => {
        expect(await query(`select datname from pg_database where datname = '${database}'`)).toEqual([]);
        expect(await query(`select rolname from pg_roles where rolname = '${user}'`)).toEqual([]);
      },
      { timeout: 20_000 },
    );
    // The process may also have lost its connection only.
    expect(await queryIn(await databases.take(), "select id from note")).toEqual([1]);
  });

  it("remain after a failure if that is an option, and the password is not printed", async () => {
    const databases = openDatabases({ setup, keepOnFailure: true });
    const [failed, passed] = [await databases.take(), await databases.take()];
    expect(await databases.release(passed, { hasFailed: false })).toBeUndefined();
    const note = await databases.release(failed, { hasFailed: true });
    await databases.close();
    const [, path = "", port, user, database] =
      /^PGPASSFILE=(\S+) psql -h 127.0.0.1 -p (\d+) -U (\S+) (\S+)$/.exec(note ?? "") ?? [];
    expect(database).toBe(failed.database);
    const password = (await readFile(path, "utf8")).trim().split(":").at(-1) ?? "";
    expect(note).not.toContain(password);
    const connectionString = `postgresql://${String(user)}:${password}@127.0.0.1:${String(port)}/${String(database)}`;
    expect(await queryIn({ connectionString }, "select id from note")).toEqual([1]);
  });

  it("fail with the output of a setup that fails, which runs once", async () => {
    const failing = `echo run >> failures.txt; echo "to stdout"; echo "to stderr $DATABASE_URL" >&2; exit 3`;
    const databases = openDatabases({ setup: failing });
    const results = await Promise.allSettled([databases.take(), databases.take()]);
    const other = await Promise.allSettled([openDatabases({ setup: failing }).take()]);
    const messages = [...results, ...other].map((result) =>
      result.status === "rejected" ? String(result.reason) : "",
    );
    expect(messages[0]).toContain("it exited with status 3");
    expect(messages[0]).toContain("to stdout\nto stderr postgresql://");
    expect(messages[0]).toMatch(/:\*\*\*@127\.0\.0\.1/);
    expect(messages[1]).toBe(messages[0]);
    expect(messages[2]).toContain("failed before in this run: it exited with status 3");
    expect(messages[2]).not.toContain("\nto stdout");
    expect(await readFile(join(folder, "failures.txt"), "utf8")).toBe("run\n");
  });

  it.each<[string, DatabaseTestOptions, object]>([
    [
      "a command that does not end",
      { setup: "echo begun; sleep 600 & wait", setupTimeoutMs: 300 },
      { code: "platform:test_setup_timeout", message: expect.stringContaining("within 0.3 s:\nbegun") },
    ],
    [
      "a function that does not end",
      { setup: () => new Promise(() => undefined), setupTimeoutMs: 50 },
      { code: "platform:test_setup_timeout" },
    ],
    [
      "a function that throws",
      {
        setup: ({ connectionString }) => {
          throw new Error(`cannot migrate ${connectionString}`);
        },
      },
      {
        code: "platform:test_setup_failed",
        message: expect.stringMatching(/cannot migrate postgresql:.*\*\*\*/),
      },
    ],
    [
      "a directory that does not exist",
      { setup: "true", cwd: "/nowhere" },
      {
        code: "platform:test_setup_failed",
        message: expect.stringContaining("there is no directory /nowhere"),
      },
    ],
    ["a file that does not exist", { files: ["missing.sql"] }, { code: "platform:test_files_missing" }],
  ])("fail because of %s, and leave no template", async (_, options, error) => {
    await expect(openDatabases(options).take()).rejects.toMatchObject(error);
    await vi.waitFor(async () => {
      expect(await query("select name from mgmt_test.database where state in ('making', 'ended')")).toEqual(
        [],
      );
    });
  });

  it("are made by a function, whose sessions may end after it", async () => {
    const databases = openDatabases({
      setup: async ({ connectionString }) => {
        const client = new Client({ connectionString });
        await client.connect();
        await client.query("create table note (id int)");
        void client.query("select pg_sleep(0.1)").then(() => client.end());
      },
    });
    expect(await queryIn(await databases.take(), "select * from note")).toEqual([]);
  });

  it("fail because of a function that leaves a session, which is not terminated", async () => {
    const clients: Client[] = [];
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.end()));
    });
    const databases = openDatabases({
      setup: async ({ connectionString }) => {
        const client = new Client({ connectionString });
        await client.connect();
        clients.push(client);
      },
    });
    await expect(databases.take()).rejects.toMatchObject({
      code: "platform:test_setup_failed",
      message: expect.stringContaining("it left 1 open connection to its database"),
    });
    expect((await clients[0]?.query("select 1 as one"))?.rows).toEqual([{ one: 1 }]);
  });

  it("do not depend on variables for another server", async () => {
    // The server runs.
    await openDatabases({ setup }).take();
    const variables = { PGSSLMODE: "require", PGOPTIONS: "-c statement_timeout=1", PGSERVICE: "missing" };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { connectionString } = await openDatabases({
      setup: "env | grep ^PG > variables.txt; node migrate.mjs",
    }).take();
    vi.unstubAllEnvs();
    expect(await queryIn({ connectionString }, "select id from note")).toEqual([1]);
    const names = (await readFile(join(folder, "variables.txt"), "utf8")).match(/^\w+/gm);
    expect(names?.sort()).toEqual(["PGDATABASE", "PGHOST", "PGPASSWORD", "PGPORT", "PGUSER"]);
  });

  it("let a test act as a role that the setup has created, since Postgres 16", async ({ skip }) => {
    skip(location.binaries.major < 16);
    const databases = openDatabases({
      setup: async ({ connectionString }) => {
        const statements = [
          "create role reader",
          "grant create on schema public to reader",
          "create table note ()",
          "alter table note owner to reader",
        ];
        for (const statement of statements) await queryIn({ connectionString }, statement);
      },
    });
    const { connectionString } = await databases.take();
    const client = new Client({ connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("set role reader");
    expect((await client.query("select current_user::text as role from note")).rows).toEqual([]);
  });

  it("are removed with their templates when these are old or many, unless something needs them", async () => {
    await openDatabases({ setup }).take();
    const client = new Client({ connectionString: await superuserString() });
    await client.connect();
    const read = async (statement: string): Promise<unknown[]> =>
      (await client.query({ text: statement, rowMode: "array" })).rows.flat();
    onTestFinished(() => client.end());
    // The server itself does not see these rows, and adds none before the end of the transaction.
    await client.query(`begin;
      lock table mgmt_test.waiter, mgmt_test.database, mgmt_test.template in exclusive mode;
      delete from mgmt_test.waiter; delete from mgmt_test.database; delete from mgmt_test.template;
      insert into mgmt_test.template (id, database, bytes, settings, used_at)
        select 't' || n, 'd' || n, 1, '{}', now() - make_interval(hours => n) from generate_series(1, 20) n
        union values ('old', 'd-old', 1, '{}'::text[], now() - interval '8 days');
      insert into mgmt_test.database (name, template, state, created_at) values
        ('ready-1', 't1', 'ready', now()), ('ready-3', 't3', 'ready', now()), ('ready-20', 't20', 'ready', now()), ('ready-17', 't17', 'ready', now()),
        ('used-18', 't18', 'used', now()), ('retained-old', 't1', 'retained', now() - interval '8 days');
      insert into mgmt_test.database (name, template, state, created_at)
        select 'retained-' || n, 't1', 'retained', now() - make_interval(hours => n) from generate_series(1, 22) n;
      insert into mgmt_test.waiter (template, owner, ticket) values ('t19', 1, 'x')`);
    await prune(client, { known: ["t17", "t20"], active: ["t20"] });
    expect(await read("select id from mgmt_test.template order by used_at desc")).toEqual(
      [20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17, 18, 19].map((count) => `t${String(count)}`),
    );
    expect(await read("select name from mgmt_test.database where state = 'ready' order by name")).toEqual([
      "ready-1",
      "ready-20",
    ]);
    const retained = await read("select name from mgmt_test.database where state = 'retained'");
    expect(retained).toHaveLength(20);
    expect(retained).toEqual(expect.not.arrayContaining(["retained-old", "retained-21", "retained-22"]));
    expect(
      await read("select name from mgmt_test.database where state = 'ended' and name ~ '^d' order by 1"),
    ).toEqual(["d-old", "d12", "d13", "d14", "d15", "d16"]);
  });

  it("keep their template when the server starts again, also after it was killed", async () => {
    const runs = await readRuns();
    const databases = openDatabases({ setup });
    await databases.take();
    await stop();
    expect(await readServerState(location.directory)).toBeUndefined();
    expect(await queryIn(await databases.take(), "select id from note")).toEqual([1]);
    const pid = Number(
      (await readFile(join(location.directory, "postgres/postmaster.pid"), "utf8")).split("\n")[0],
    );
    process.kill(pid, "SIGKILL");
    await daemons.pop()?.exited;
    expect(await queryIn(await databases.take(), "select id from note")).toEqual([1]);
    expect(await readRuns()).toBe(runs);
  });

  it("begin with a new cluster when the system was started again without a shutdown of the server", async () => {
    const databases = openDatabases({ setup });
    await databases.take();
    const runs = await readRuns();
    await stop();
    const path = join(location.directory, "cluster.json");
    const record: object = JSON.parse(await readFile(path, "utf8"));
    expect(record).toMatchObject({ openPlace: null });
    await writeFile(path, JSON.stringify({ ...record, openPlace: "another start" }));
    expect(await queryIn(await databases.take(), "select id from note")).toEqual([1]);
    expect(await readRuns()).toBe(`${runs}run\n`);
  });
});
