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

describe("a script in SQL", () => {
  it("is run in one transaction, with its rows", async () => {
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
  ])("says in its error what the database has if %s", async (_, reply, position, state) => {
    write("shop.sql", dumpOf("select first;", "select second;"));
    place.reply = reply;
    const { status, stderr } = await restore("--file shop.sql");
    expect(status).toBe(1);
    expect(stderr).toContain(position);
    expect(stderr).toContain(state);
  });

  it("keeps what transactions of its own had committed, and says so", async () => {
    write("own.sql", "begin;\nselect 1;\ncommit;\nselect broken;\n");
    place.reply = (statement) => (statement.includes("broken") ? { error: "no", state: "42703" } : undefined);
    const { stderr } = await restore("--file own.sql");
    expect(stderr).toContain("own.sql:4");
    expect(stderr).toContain("keeps what it had committed");
    expect(place.statements().filter((statement) => /^begin/.test(statement.trim()))).toHaveLength(1);
  });

  it("is refused if it leaves a transaction open, whose line is named", async () => {
    write("open.sql", "select 1;\n\nbegin;\nselect 2;\n");
    const { status, stderr } = await restore("--file open.sql");
    expect(status).toBe(1);
    expect(stderr).toContain("begins a transaction on line 3 or later");
  });
});
