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

  it("needs the name of a protected database, also where there are no tables", async () => {
    write("shop.sql", dumpOf("select 1;"));
    mkdirSync(join(place.folder, ".mgmt"));
    write(".mgmt/link.json", '{"protect":true}');
    for (const flags of ["--yes", "--yes --confirm shop"])
      expect((await restore(`--file shop.sql ${flags}`)).status).toBe(3);
    const stdin = dumpOf("select 1;");
    expect((await restore("--file - --yes", { stdin })).stderr).toContain("standard input is read");
    expect(place.statements()).toEqual([]);
    for (const name of ["copy", place.copy])
      expect((await restore(`--file - --confirm ${name}`, { stdin })).status).toBe(0);
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
});
