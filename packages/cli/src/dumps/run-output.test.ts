import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, dumpOf, useDatabasePlace } from "../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(place.folder, name), content);
const restore = (flags: string, setup = {}) => place.run(`db restore ${place.copy} ${flags}`, setup);

describe("the output of a program", () => {
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

  it("drops with --clean what it has, and all that depends on it", async () => {
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
