import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, useDatabasePlace } from "../../../test/commands/db/database-place.js";
import type { Setup } from "../../../test/in-process.js";
import type { TypedRows } from "../../../test/postgres/fake-postgres.js";
import type { Result } from "../../../test/result.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const [int4, int8, bool, float8, numeric, text, bytea, timestamptz] = [23, 20, 16, 701, 1700, 25, 17, 1184];
const exactValues: TypedRows = {
  columns: [
    ["i", int4],
    ["big", int8],
    ["flag", bool],
    ["f", float8],
    ["n", numeric],
    ["at", timestamptz],
    ["bytes", bytea],
    ["note", text],
    ["none", text],
  ],
  table: [
    ["7", "9007199254740993", "t", "0.1", "1.10", "2026-01-02 03:04:05.678901+00", "\\x00ff", "", null],
    ["-1", "1", "f", "NaN", "NaN", "infinity", "\\x", 'a,"b"\nc', null],
  ],
};

/** Runs a query of the database, which gets this reply. */
const query = (sql: string, reply: ReturnType<DatabasePlace["reply"]>, flags = "", setup: Setup = {}) =>
  run([place.copy, sql, ...flags.split(" ").filter(Boolean)], reply, setup);
const run = (
  words: readonly string[],
  reply: ReturnType<DatabasePlace["reply"]> = undefined,
  setup: Setup = {},
): Promise<Result> => {
  place.reply = (statement) => (/^(BEGIN|SET)/.test(statement) ? undefined : reply);
  return place.runWords(["query", ...words], setup);
};
const outcome = ({ status, stdout, stderr }: Result) => ({ status, stdout, stderr });

describe("mgmt query", () => {
  it("prints exact values in JSON", async () => {
    const { status, json } = await query("select *", exactValues, "--json");
    expect({ status, json }).toEqual({
      status: 0,
      json: [
        {
          ...{ i: 7, big: "9007199254740993", flag: true, f: 0.1, n: "1.10", bytes: "\\x00ff", note: "" },
          ...{ at: "2026-01-02 03:04:05.678901+00", none: null },
        },
        {
          ...{ i: -1, big: "1", flag: false, f: "NaN", n: "NaN", at: "infinity", bytes: "\\x" },
          ...{ note: 'a,"b"\nc', none: null },
        },
      ],
    });
  });

  it("prints CSV as Postgres does", async () => {
    const { stdout } = await query("select *", exactValues, "--output csv");
    expect(stdout).toBe(
      [
        "i,big,flag,f,n,at,bytes,note,none",
        '7,9007199254740993,t,0.1,1.10,2026-01-02 03:04:05.678901+00,\\x00ff,"",',
        '-1,1,f,NaN,NaN,infinity,\\x,"a,""b""\nc",',
        "",
      ].join("\n"),
    );
  });

  it("prints a table, with nothing that a terminal would carry out", async () => {
    const reply: TypedRows = {
      columns: [
        ["id", int4],
        ["userName\u001b[2J", text],
      ],
      table: [
        ["1", "\u001b]0;title\u0007\u202e"],
        ["2", null],
        ["3", "a\r\nb\tc"],
      ],
    };
    const { stdout, stderr } = await query("select *", reply, "", { terminal: true, columns: 80 });
    const plain = stdout.replaceAll(/\u001b\[\d+m/g, "");
    expect(plain.split("\n").map((line) => line.trimEnd())).toEqual([
      "id  userName\\u001b[2J",
      "1   \\u001b]0;title\\u0007\\u202e",
      "2   NULL",
      "3   a\\r\\nb\\tc",
      "",
    ]);
    expect(stderr).toBe("");
  });

  it("prints each row as lines if the terminal is narrower than the table", async () => {
    const reply: TypedRows = {
      columns: [
        ["id", int4],
        ["title", text],
      ],
      table: [
        ["1", "x".repeat(30)],
        ["2", "日本"],
      ],
    };
    const print = async (columns: number): Promise<string> =>
      (await query("select *", reply, "", { terminal: true, columns })).stdout.replaceAll(
        /\u001b\[\d+m/g,
        "",
      );
    expect(await print(36)).toMatch(/^id  title\n1   x/);
    expect(await print(33)).toBe(`row 1\nid     1\ntitle  ${"x".repeat(30)}\nrow 2\nid     2\ntitle  日本\n`);
    const single = { columns: [["title", text]], table: [["x".repeat(30)]] } as const;
    const { stdout } = await query("select title", single, "", { terminal: true, columns: 20 });
    expect(stdout).toContain(`\n${"x".repeat(30)}\n`);
  });

  it("gives every column a name of its own in JSON", async () => {
    const columns = ["a", "a_2", "a", "a", "__proto__"].map((name) => [name, text] as const);
    const { json } = await query("select *", { columns, table: [["1", "2", "3", "4", "5"]] }, "--json");
    expect(JSON.stringify(json)).toBe('[{"a":"1","a_2":"2","a_3":"3","a_4":"4","__proto__":"5"}]');
  });

  it.each([
    ["--output ndjson", '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'],
    ["--output yaml", "- id: 1\n  name: a\n- id: 2\n  name: b\n"],
    ["--output name", "1\n2\n"],
    ["--json --fields name", '[\n  {\n    "name": "a"\n  },\n  {\n    "name": "b"\n  }\n]\n'],
    ["--output csv --fields name", "name\na\nb\n"],
    ["--query [].name", "a\nb\n"],
  ])("prints in the form of %s", async (flags, stdout) => {
    const columns = [
      ["id", int4],
      ["name", text],
    ] as const;
    const table = [
      ["1", "a"],
      ["2", "b"],
    ];
    expect((await query("select *", { columns, table }, flags)).stdout).toBe(stdout);
  });

  it.each([
    ["", "", "No rows.\n"],
    ["--json", "[]\n", ""],
    ["--output csv", "id\n", ""],
  ])("prints no rows with %j", async (flags, stdout, stderr) => {
    const result = await query("select 1 where false", { columns: [["id", int4]], tag: "SELECT 0" }, flags);
    expect(outcome(result)).toEqual({ status: 0, stdout, stderr });
  });

  it("prints a result of many portions, each row once", async () => {
    const table = Array.from({ length: 20_000 }, (_, index) => [String(index), "x".repeat(40)]);
    const columns = [
      ["id", int4],
      ["name", text],
    ] as const;
    const { json } = await query("select *", { columns, table }, "--json");
    expect((json as { id: number }[]).map(({ id }) => id)).toEqual(table.map((_, index) => index));
    const { stdout } = await query("select *", { columns, table }, "--output csv");
    expect(stdout.split("\n")).toHaveLength(table.length + 2);
  });

  it("reads in a transaction that cannot write", async () => {
    await query("select 1", undefined);
    await query("select 1", undefined, "--timeout 90s");
    expect(place.statements()).toEqual([
      "BEGIN READ ONLY; SELECT 1",
      "select 1",
      "BEGIN READ ONLY; SET LOCAL statement_timeout = 90000; SELECT 1",
      "select 1",
    ]);
  });

  it("writes with --write, and says what was done", async () => {
    const insert = "insert into notes default values";
    const { status, stdout, stderr } = await query(insert, { tag: "INSERT 0 3" }, "--write");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "INSERT 0 3\n" });
    const inJson = await query(insert, { tag: "INSERT 0 3" }, "--write --json --timeout 2s");
    expect(inJson.json).toEqual([]);
    expect(inJson.stderr).toContain('"command":"INSERT 0 3"');
    const returning = await query(
      insert,
      { columns: [["id", int4]], table: [["5"]], tag: "INSERT 0 1" },
      "--write",
    );
    expect({ stdout: returning.stdout, stderr: returning.stderr }).toEqual({
      stdout: "id\n5\n",
      stderr: "INSERT 0 1\n",
    });
    expect(place.statements()).toEqual([insert, "SET statement_timeout = 2000", insert, insert]);
  });

  it("needs the name of a protected database to write", async () => {
    mkdirSync(join(place.folder, ".mgmt"));
    writeFileSync(join(place.folder, ".mgmt/link.json"), '{"protect":true}');
    const remove = "delete from notes";
    expect((await query("select 1", undefined)).status).toBe(0);
    expect(await query(remove, undefined, "--write --yes")).toMatchObject({ status: 3, stdout: "" });
    expect(await query(remove, undefined, "--write --confirm shop")).toMatchObject({ status: 3 });
    expect(place.statements()).not.toContain(remove);
    expect((await query(remove, { tag: "DELETE 2" }, "--write --confirm copy")).stderr).toBe("DELETE 2\n");
  });

  it("prints messages of the server", async () => {
    const { stderr } = await query("select f()", { notice: "slow\u001b[2J" });
    expect(stderr).toContain("slow\\u001b[2J\n");
  });

  it.each([
    ["in UTF-16", Buffer.from("\ufeffselect 1", "utf16le"), "is UTF-16, not UTF-8"],
    ["in UTF-16 without a mark", Buffer.from("select 1", "utf16le"), "has a NUL character"],
  ])("refuses a file %s", async (_, bytes, problem) => {
    writeFileSync(join(place.folder, "q.sql"), bytes);
    const { status, stderr } = await run(["copy", "--file", "q.sql"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(problem) });
    expect(place.postgres.sessions).toEqual([]);
  });

  it.each([
    ["--fields nam", [["1", "a"]], "Did you mean name?"],
    ["--fields id,title --json", [["1", "a"]], "Fields: id, name."],
    ["--fields title --csv", [], "Fields: id, name."],
  ])("refuses unknown columns: %s", async (flags, table, hint) => {
    const columns = [
      ["id", int4],
      ["name", text],
    ] as const;
    const result = await query("select *", { columns, table }, flags);
    expect(outcome(result)).toEqual({ status: 2, stdout: "", stderr: expect.stringContaining(hint) });
    const written = await query(
      "insert into notes",
      { columns, table, tag: "INSERT 0 1" },
      `${flags} --write`,
    );
    expect(outcome(written)).toMatchObject({ status: 2, stderr: expect.stringContaining("INSERT 0 1") });
  });

  it("refuses to print ids of rows that have no column for them", async () => {
    const columns = [["a", int4]] as const;
    const result = await query("select 1 as a", { columns, table: [["1"]] }, "--output name");
    expect(outcome(result)).toEqual({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("the columns id, name,"),
    });
    const selected = await query("select 1 as a", { columns, table: [["1"]] }, "--output name --query [].a");
    expect(outcome(selected)).toEqual({ status: 0, stdout: "1\n", stderr: "" });
  });

  it("says that a statement without rows keeps nothing without --write", async () => {
    const { status, stderr } = await query("analyze notes", { tag: "ANALYZE" });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr:
        "ANALYZE, in a read-only transaction that was rolled back. Pass --write to keep what it does.\n",
    });
    expect((await query("select", { tag: "SELECT 1" })).stderr).toBe("SELECT 1\n");
  });

  const canceled = { error: "canceling statement due to user request", state: "57014" };
  it.each<[string, ReturnType<DatabasePlace["reply"]>, string]>([
    [
      "delete from notes",
      { onCancel: canceled },
      "The statement was canceled, and what it changed was undone.",
    ],
    ["vacuum notes", { onCancel: canceled }, "may have taken effect or not"],
    ["create index concurrently on notes (id)", { onCancel: canceled }, "may have taken effect or not"],
    ["delete from notes", { onCancel: "break" }, "may have taken effect or not"],
    ["delete from notes", { onCancel: { tag: "DELETE 2" } }, "DELETE 2\n"],
  ])("says after Ctrl-C what became of %s: %j", async (sql, reply, message) => {
    let resolveSent = (): void => undefined;
    const sent = new Promise<void>((resolve) => (resolveSent = resolve));
    place.reply = () => (resolveSent(), reply);
    const result = await place.runWords(["query", place.copy, sql, "--write"], { interrupt: sent });
    expect(outcome(result)).toEqual({ status: 130, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("passes parameters as they are", async () => {
    await run([
      place.copy,
      "select $1, $2, $3",
      "--param",
      "-5",
      "--param",
      "",
      "--param",
      "'; drop table t; --",
    ]);
    expect(place.statements()).toContain(`values ["-5","","'; drop table t; --"]`);
  });

  it.each([
    [["select 1"], "", "select 1"],
    [["-"], "select 2 -- last\n", "select 2 -- last\n"],
    [["--file", "-"], "select 3;\n", "select 3;\n"],
    [["--file", "q.sql"], "", "select 4"],
    [["copy", "select 5"], "", "select 5"],
    [["copy", "reindex"], "", "reindex"],
    [["copy", "--file", "q.sql"], "", "select 4"],
    [["shop/copy", "-"], "\ufeffselect 6", "select 6"],
    [["VACUUM", "--write"], "", "VACUUM"],
    [["vacuum;", "--write"], "", "vacuum;"],
    [["commit prepared 'a'", "--write"], "", "commit prepared 'a'"],
    [["create table temp ()", "--write"], "", "create table temp ()"],
  ])("reads the statement from %j", async (words, stdin, sql) => {
    writeFileSync(join(place.folder, "q.sql"), "\ufeffselect 4");
    const { status, stderr } = await run(words, undefined, {
      stdin,
      env: { MGMT_PROJECT_ID: place.projectId },
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(place.statements().at(-1)).toBe(sql);
  });

  it.each([
    [[], 3, "usage:missing"],
    [["shop"], 3, "Missing the statement for database shop"],
    [["refresh"], 3, "ends with a semicolon"],
    [["shop", ""], 3, "usage:missing"],
    [[" -- nothing"], 3, "usage:missing"],
    [["select 1; select 2"], 2, "query:refused"],
    [["select 1;\nCOMMIT; drop table notes"], 2, "query:refused"],
    [["copy notes to stdout"], 2, "query:refused"],
    [["/* c */ COPY notes from stdin"], 2, "query:refused"],
    [["\\d notes"], 2, "query:refused"],
    [["db_1", "select 1", "more"], 2, "usage:invalid"],
    [["--file", "q.sql", "db_1", "select 1"], 2, "usage:invalid"],
    [["select 1", "--file", "q.sql"], 2, "--file and a statement cannot be used together"],
    [["(values (1))", "--file", "q.sql"], 2, "--file and a statement cannot be used together"],
    [["vacuum", "--file", "q.sql"], 2, "--file and a statement cannot be used together"],
    [["my selection", "--file", "q.sql"], 2, "usage:unreadable_file"],
    [["--file", "gone.sql"], 2, "usage:unreadable_file"],
    [["select 1", "--timeout", "0"], 2, "usage:invalid_value"],
    [["select 1", "--timeout", "soon"], 2, "usage:invalid_value"],
    [["select 1", "--output", "env"], 2, "usage:invalid"],
    [["no-such", "select 1"], 6, "name:not_found"],
    [["select '\0'"], 2, "The statement has a NUL character"],
    [["select $1, $2", "--param", "a", "--param", "b\0"], 2, "The value of $2 has a NUL character"],
    ...[
      ["begin", "BEGIN has no effect here"],
      ["COMMIT AND NO CHAIN", "COMMIT has no effect here"],
      ["start transaction;", "START has no effect here"],
      ["set search_path = x", "SET has no effect here"],
      ["/* c */ listen jobs", "LISTEN has no effect here"],
      ["prepare p as select 1", "PREPARE has no effect here"],
      ["create or replace local temporary view v as select 1", "A temporary object has no effect here"],
    ].map(([sql = "", problem = ""]): [string[], number, string] => [[sql, "--write"], 2, problem]),
  ])("refuses %j before it connects", async (words, status, code) => {
    const result = await run(words, undefined, { env: { MGMT_PROJECT_ID: place.projectId } });
    expect(outcome(result)).toEqual({ status, stdout: "", stderr: expect.stringContaining(code) });
    expect(place.postgres.sessions).toEqual([]);
  });

  it("explains what Postgres refuses, with the place", async () => {
    const reply = { error: 'column "x" does not exist', state: "42703", fields: { P: "13", H: "Try y." } };
    const { status, stderr } = await query("select 'ü',\n x", reply);
    expect(status).toBe(1);
    expect(stderr).toBe(
      'error: column "x" does not exist (SQLSTATE 42703; line 2, column 1) (query:failed)\nhint: Try y.\n',
    );
    const { errors } = await query("select x", reply, "--json");
    expect(errors).toMatchObject([{ error: { next: [["mgmt", "query", "--help"]] } }]);
  });

  it.each([
    ["", "25006", "query:failed", "Pass --write"],
    ["--write", "25006", "query:failed", "Correct the statement"],
    ["--write", "23505", "query:failed", "conflict with a constraint"],
    ["", "57014", "query:failed", "statement_timeout"],
    ["--timeout 1h", "57014", "query:failed", "statement_timeout"],
    [
      "--param a",
      "08P01",
      "query:failed",
      "Pass --param once for each of $1, $2 and so on in the statement, in this order: 1 was",
    ],
    ["", "08P01", "query:failed", "0 were passed"],
    ["", "42P18", "query:failed", "$1::text"],
    ["", "25001", "query:failed", "Pass --write"],
  ])("says what to do after %j and %s", async (flags, state, code, hint) => {
    const { stderr } = await query("select pg_sleep(1)", { error: "no", state }, flags);
    expect(stderr).toContain(code);
    expect(stderr).toContain(hint);
  });

  it.each([
    ["", 9, "Run the command again"],
    ["--write", 8, "may have taken effect"],
  ])("says what a lost connection means with %j", async (flags, status, hint) => {
    const result = await query("select 1", "break", flags);
    expect(outcome(result)).toMatchObject({
      status,
      stderr: expect.stringContaining("query:connection_lost"),
    });
    expect(result.stderr).toContain(hint);
  });

  it("prints no incomplete JSON after a failure at once, and never the password", async () => {
    const result = await query("select 1/0", { error: "division by zero", state: "22012" }, "--json --debug");
    expect(result.stdout).toBe("");
    const [connection] = place.server.engine.rows.connections.list({ databaseId: place.copy });
    expect(result.stderr).not.toContain(connection?.pass);
  });

  it("cancels the statement on the server on Ctrl-C", async () => {
    const rows = function* (): Generator<string[]> {
      for (;;) yield ["x".repeat(1_000)];
    };
    const { status, stderr } = await query(
      "select *",
      { columns: [["a", text]], table: rows() },
      "--output csv",
      {
        interruptWhen: (stdout) => stdout.length > 10_000,
      },
    );
    expect({ status, stderr }).toEqual({ status: 130, stderr: expect.stringContaining("run:interrupted") });
    expect(place.postgres.log).toContain("cancel");
  });
});
