import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, dumpOf, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(place.folder, name), content);
const restore = (flags: string, setup = {}) => place.run(`db restore ${place.copy} ${flags}`, setup);
const answering = (answer: string) => ({
  terminal: true,
  reply: (stderr: string) => (stderr.includes("Continue?") ? answer : undefined),
});

describe("mgmt db restore of SQL", () => {
  it("runs a dump in one transaction, with its rows", async () => {
    write("shop.sql", dumpOf("create table t (a int);", "COPY t FROM stdin;", "1", "2", "\\.", "select 1;"));
    const { status, json, stderr } = await restore("--file shop.sql -o json");
    expect(status, stderr).toBe(0);
    expect(json).toEqual({ databaseId: place.copy, file: join(place.folder, "shop.sql"), program: null });
    expect(place.statements().map((statement) => statement.replace(/^--[^;]*?\n(?=create)/s, ""))).toEqual([
      "begin",
      expect.stringContaining("create table t (a int)"),
      expect.stringContaining("COPY t FROM stdin"),
      "rows 1\n2\n",
      expect.stringContaining("select 1"),
      "commit",
    ]);
    expect(place.postgres.log.at(-1)).toBe("end");
  });

  it("leaves out what a newer pg_dump writes for its own settings", async () => {
    write("shop.sql", dumpOf("SET transaction_timeout = 0;", "SET a = 0;"));
    await restore("--file shop.sql");
    expect(place.statements().join("\n")).not.toContain("transaction_timeout");
    expect(place.statements().join("\n")).toContain("SET a = 0");
  });

  it.each<[string, (statement: string) => ReturnType<DatabasePlace["reply"]>, string, string]>([
    [
      "a statement is refused",
      (statement) => (statement.includes("second") ? { error: "no such column", state: "42703" } : undefined),
      "shop.sql:5: no such column (SQLSTATE 42703)",
      "Nothing was changed",
    ],
    [
      "the connection breaks",
      (statement) => (statement.includes("second") ? "break" : undefined),
      "shop.sql:5",
      "Nothing was changed",
    ],
    [
      "the commit is refused",
      (statement) => (statement === "commit" ? { error: "deferred", state: "23503" } : undefined),
      "deferred (SQLSTATE 23503)",
      "Nothing was changed",
    ],
    [
      "the connection breaks in the commit",
      (statement) => (statement === "commit" ? "break" : undefined),
      "shop.sql",
      "to see whether it has the changes",
    ],
  ])("says what the database has if %s", async (_, reply, position, state) => {
    write("shop.sql", dumpOf("select first;", "select second;"));
    place.reply = reply;
    const { status, stderr } = await restore("--file shop.sql");
    expect(status).toBe(1);
    expect(stderr).toContain(position);
    expect(stderr).toContain(state);
  });

  it("says that a script of its own transactions keeps what it had committed", async () => {
    write("own.sql", "begin;\nselect 1;\ncommit;\nselect broken;\n");
    place.reply = (statement) => (statement.includes("broken") ? { error: "no", state: "42703" } : undefined);
    const { stderr } = await restore("--file own.sql");
    expect(stderr).toContain("own.sql:4");
    expect(stderr).toContain("keeps what it had committed");
    expect(place.statements().filter((statement) => /^begin/.test(statement.trim()))).toHaveLength(1);
  });

  it("refuses a script that leaves a transaction open, and names its line", async () => {
    write("open.sql", "select 1;\n\nbegin;\nselect 2;\n");
    const { status, stderr } = await restore("--file open.sql");
    expect(status).toBe(1);
    expect(stderr).toContain("begins a transaction on line 3 or later");
  });

  it("asks whether to write where there are tables, names five, and not where there are none", async () => {
    write("shop.sql", dumpOf("select 1;"));
    place.catalog.relations = ["a", "b", "c", "d", "e", "f"].map((name) => `public.${name}`);
    const refused = await restore("--file shop.sql");
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("confirmation:needed") });
    expect(refused.stderr).toContain(
      "6 tables and views (public.a, public.b, public.c, public.d, public.e, …)",
    );
    expect((await restore("--file shop.sql", answering("n\n"))).status).toBe(3);
    expect(place.statements()).toEqual([]);
    expect((await restore("--file shop.sql", answering("y\n"))).status).toBe(0);
    expect((await restore("--file shop.sql --yes")).status).toBe(0);
    place.catalog.relations = [];
    expect((await restore("--file shop.sql")).status).toBe(0);
  });

  it("cannot ask while standard input is the dump", async () => {
    place.catalog.relations = ["public.a"];
    const { status, stderr } = await restore("--file -", { stdin: dumpOf("select 1;") });
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("standard input is read"),
    });
    expect((await restore("--file - --yes", { stdin: dumpOf("select 1;") })).status).toBe(0);
  });

  it.each([
    [
      "--clean needs the custom format",
      "shop.sql",
      dumpOf(),
      "--clean",
      2,
      "--clean needs a dump in the custom format",
    ],
    [
      "its end is missing",
      "cut.sql",
      dumpOf("select 1;").replace("complete", ""),
      "",
      1,
      "db:incomplete_dump",
    ],
    ["it has a command of psql", "meta.sql", "select 1;\n\\! date\n", "", 2, "db:meta_command"],
    [
      "its compressed data is cut",
      "cut.sql.gz",
      gzipSync(dumpOf()).subarray(0, 60),
      "",
      1,
      "db:incomplete_dump",
    ],
    ["it is empty", "empty.sql", "", "", 2, "db:empty_dump"],
  ])("changes nothing and sends nothing if %s", async (_, name, content, flags, status, text) => {
    write(name, content);
    const { length } = place.server.engine.requests;
    const result = await restore(`--file ${name} ${flags}`.trim());
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(text) });
    expect(place.server.engine.requests).toHaveLength(length);
    expect(place.statements()).toEqual([]);
  });

  it.each([
    ["", 3, "Missing --file"],
    ["--file absent.dump", 2, "absent.dump"],
    ["--file folder", 2, "regular file"],
  ])("refuses %j before anything is sent", async (flags, status, text) => {
    mkdirSync(join(place.folder, "folder"));
    const { length } = place.server.engine.requests;
    const result = await place.run(`db restore ${place.copy} ${flags}`.trim());
    expect(result.stderr).toContain(text);
    expect(result.status).toBe(status);
    expect(place.server.engine.requests).toHaveLength(length);
  });

  it("says that nothing tells the end of a script that is no dump", async () => {
    write("a.sql", "select 1;\n");
    expect((await restore("--file a.sql")).stderr).toContain("is not the output of pg_dump");
    write("b.sql", dumpOf("select 1;"));
    expect((await restore("--file b.sql")).stderr).not.toContain("is not the output of pg_dump");
  });
});

describe("mgmt db restore of an archive", () => {
  it("runs the SQL of pg_restore, which reads the file, in one transaction", async () => {
    write("shop.dump", "PGDMP rest");
    const { status, json, stderr } = await restore("--file shop.dump -o json");
    expect(status, stderr).toBe(0);
    expect(json).toMatchObject({ program: "pg_restore" });
    expect(place.programs.linesOf("pg_restore")).toEqual([
      "--no-password --file=- --no-owner --no-privileges",
    ]);
    expect(place.statements()).toEqual(["begin", expect.stringContaining("create table t ()"), "commit"]);
  });

  it("passes an archive of standard input on, and all of it", async () => {
    let received = "";
    place.pgRestore = async ({ stdin }) => {
      for await (const chunk of stdin) received += String(chunk);
      return { stdout: dumpOf("select 1;") };
    };
    const archive = `PGDMP${"x".repeat(100_000)}`;
    expect((await restore("--file - --yes", { stdin: archive })).status).toBe(0);
    expect(received).toBe(archive);
  });

  it.each([
    [
      "it fails after its output",
      { stdout: dumpOf("select 1;"), status: 1, stderr: "pg_restore: error: bad\n" },
      "pg_restore failed: bad",
    ],
    [
      "its output is cut",
      { stdout: dumpOf("select 1;").replace("complete", "") },
      "its last line is missing",
    ],
    ["it writes a transaction", { stdout: dumpOf("commit;") }, "db:own_transaction"],
    ["it writes a command of psql", { stdout: dumpOf("\\! date") }, "db:meta_command"],
  ])("changes nothing if %s", async (_, end, text) => {
    write("shop.dump", "PGDMP rest");
    place.pgRestore = () => end;
    const { status, stderr } = await restore("--file shop.dump");
    expect(status).not.toBe(0);
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/Nothing was changed/);
    expect(place.statements()).not.toContain("commit");
  });

  it("drops with --clean what the dump has, and all that depends on it", async () => {
    write("shop.dump", "PGDMP rest");
    place.pgRestore = () => ({
      stdout: dumpOf(
        "ALTER TABLE IF EXISTS t DROP CONSTRAINT k;",
        "DROP INDEX IF EXISTS i;",
        "DROP TABLE IF EXISTS t;",
        "DROP SCHEMA IF EXISTS s;",
        "CREATE SCHEMA s;",
        "CREATE TABLE t ();",
        "DROP TABLE later;",
      ),
    });
    expect((await restore("--file shop.dump --clean")).status).toBe(0);
    expect(place.programs.linesOf("pg_restore")[0]).toContain("--clean --if-exists");
    const run = place.statements().map((statement) => statement.replaceAll(/^--.*\n/gm, "").trim());
    expect(run).toEqual([
      "begin",
      "DROP TABLE IF EXISTS t CASCADE;",
      "CREATE SCHEMA IF NOT EXISTS s;",
      "CREATE TABLE t ();",
      "DROP TABLE later;",
      "commit",
    ]);
  });

  it.each([
    ["", "42P07", "pass --clean"],
    ["--clean", "42P07", undefined],
    ["", "42703", undefined],
  ])("suggests --clean where it was not passed and would help: %j, %s", async (flags, state, advice) => {
    write("shop.dump", "PGDMP rest");
    place.reply = (statement) =>
      statement.includes("create table") ? { error: "exists", state } : undefined;
    const { stderr } = await restore(`--file shop.dump ${flags}`.trim());
    expect(stderr).toContain(`(SQLSTATE ${state})`);
    if (advice === undefined) expect(stderr).not.toContain("pass --clean");
    else expect(stderr).toContain(advice);
  });
});
