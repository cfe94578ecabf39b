import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Platform, startPlatform } from "@mgmt/platform";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../../test/bin.js";
import { expectValid, schemaOf } from "../../../test/command-schemas.js";
import { runInProcess, type Setup } from "../../../test/in-process.js";
import type { Result } from "../../../test/result.js";

let platform: Platform;
let database: string;
let client: pg.Client;

beforeAll(async () => {
  await ensureBuilt();
  platform = await startPlatform({ port: 0, ephemeral: true, requireSignInKey: false });
  const { json } = await mgmt(["projects", "create", "shop", "--wait", "-o", "json"]);
  database = (json as { database: { id: string } }).database.id;
  const { stdout } = await mgmt(["connection-string", database]);
  client = new pg.Client({ connectionString: stdout.trim() });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await platform.stop();
});
beforeEach(async () => {
  await client.query("drop table if exists notes; create table notes (id int primary key, note text)");
});

const environment = (): NodeJS.ProcessEnv => ({
  MGMT_BASE_URL: platform.ready.baseUrl,
  MGMT_TOKEN: platform.ready.token,
});
const mgmt = (words: readonly string[], setup: Setup = {}): Promise<Result> =>
  runInProcess(words, { ...setup, env: { ...environment(), ...setup.env } });
const query = (sql: string, flags: readonly string[] = [], setup: Setup = {}): Promise<Result> =>
  mgmt(["query", database, sql, ...flags], setup);
const countNotes = async (): Promise<number> =>
  (await client.query<{ id: number }>("select id from notes")).rows.length;

/** Resolves when the number of sessions that run a statement with this text is the expected one. */
const waitForStatements = async (text: string, count: number): Promise<void> => {
  for (;;) {
    const { rows } = await client.query(
      "select 1 from mgmt_sessions() where state = 'active' and pid <> pg_backend_pid() and position($1 in query) > 0",
      [text],
    );
    if (rows.length === count) return;
  }
};

describe("mgmt query on Postgres", () => {
  it("prints the values of its types exactly", async () => {
    const sql =
      "select 9223372036854775807::int8 big, 123456789012345678901234567890.10::numeric n, 1.5::float4 f, 'NaN'::float8 nan, " +
      `true b, '{"a": 12345678901234567890}'::jsonb doc, '\\x00ff'::bytea bytes, timestamp '2026-01-02 03:04:05.678901' at, ` +
      "array[1,2] list, null nothing, 1 x, 2 x";
    const { json, stderr } = await query(sql, ["--json"]);
    expect(stderr).toBe("");
    expect(json).toEqual([
      {
        ...{
          big: "9223372036854775807",
          n: "123456789012345678901234567890.10",
          f: 1.5,
          nan: "NaN",
          b: true,
        },
        ...{ doc: '{"a": 12345678901234567890}', bytes: "\\x00ff", at: "2026-01-02 03:04:05.678901" },
        ...{ list: "{1,2}", nothing: null, x: 1, x_12: 2 },
      },
    ]);
    expectValid((await schemaOf("query")).result, json);
  });

  it("changes nothing without --write", async () => {
    for (const sql of [
      "insert into notes values (1)",
      "with w as (insert into notes values (1) returning 1) select * from w",
      "do $$ begin insert into notes values (1); end $$",
      "create table other ()",
      "vacuum notes",
    ]) {
      const { status, stderr } = await query(sql);
      expect({ sql, status, stderr }).toEqual({
        sql,
        status: 1,
        stderr: expect.stringMatching(/25006|25001/),
      });
    }
    expect((await query("commit")).status).toBe(2);
    expect((await query("select $1", ["--param", "1", "--param", "2"])).stderr).toContain("2 were passed");
    expect((await query("select $1, $2", ["--param", "1"])).stderr).toContain("1 was passed");
    expect(await countNotes()).toBe(0);
  });

  it("writes with --write, also what needs its own transaction", async () => {
    const flags = ["--write", "--param", "7", "--param", "it's"];
    const insert = await query("insert into notes values ($1, $2), (8, null), (9, '') returning *", [
      ...flags,
      "--output",
      "csv",
    ]);
    expect(insert).toMatchObject({
      status: 0,
      stdout: 'id,note\n7,it\'s\n8,\n9,""\n',
      stderr: "INSERT 0 3\n",
    });
    expect((await query("vacuum notes", ["--write"])).stderr).toBe("VACUUM\n");
    expect((await query("delete from notes where id = $1", flags.slice(0, 3))).stderr).toBe("DELETE 1\n");
    expect((await query("insert into notes values (8)", ["--write"])).stderr).toMatch(
      /SQLSTATE 23505; Key \(id\)/,
    );
    expect(await countNotes()).toBe(2);
  });

  it("cancels a statement that takes too long, or is interrupted", async () => {
    const slow = await query("select pg_sleep(601)", ["--timeout", "50ms"]);
    expect({ status: slow.status, stderr: slow.stderr }).toMatchObject({
      status: 8,
      stderr: expect.stringContaining("query:timeout"),
    });
    const interrupt = waitForStatements("pg_sleep(602)", 1);
    const { status } = await query("select pg_sleep(602)", [], { interrupt });
    expect(status).toBe(130);
    await waitForStatements("pg_sleep(60", 0);
  });

  it.each(["json", "csv", "table", "ndjson"])(
    "needs little memory for a long result in %s",
    async (format) => {
      // 40 MB. Most of the time is that of the rows, however long they are.
      const sql = "select i, repeat('x', 1000) as text from generate_series(1, 40000) i";
      const words = ["--max-old-space-size=40", bin, "query", database, sql, "--output", format];
      const child = spawn(process.execPath, words, {
        env: { ...process.env, ...environment() },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let rows = 0;
      child.stdout.on(
        "data",
        (data: Buffer) =>
          (rows +=
            data.toString("latin1").split("xxx\n").length + data.toString("latin1").split('x"').length),
      );
      const [status] = (await once(child, "close")) as [number];
      expect(status).toBe(0);
      expect(rows).toBeGreaterThan(38_000);
    },
  );
});
