import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(place.folder, name), content);
const seed = (flags: string, setup = {}) => place.run(`db seed ${place.copy} ${flags}`.trim(), setup);

describe("mgmt db seed", () => {
  it("runs seed.sql unless --file names another", async () => {
    write("seed.sql", "select 'default';\n");
    write("other.sql", "select 'other';\n");
    expect((await seed("")).status).toBe(0);
    expect((await seed("--file other.sql -o json")).json).toMatchObject({ program: null });
    expect(place.statements()).toEqual([
      "begin",
      "select 'default';",
      "commit",
      "begin",
      "select 'other';",
      "commit",
    ]);
  });

  it("asks only if tables have rows", async () => {
    write("seed.sql", "select 1;\n");
    place.catalog.relations = ["public.empty"];
    expect((await seed("")).status).toBe(0);
    place.catalog.tablesWithRows = ["public.full"];
    const refused = await seed("");
    expect(refused.status).toBe(3);
    expect(refused.stderr).toContain("1 tables with rows (public.full)");
    expect((await seed("--yes")).status).toBe(0);
  });

  it("cannot ask while standard input is the script", async () => {
    place.catalog.tablesWithRows = ["public.full"];
    const { status, stderr } = await seed("--file -", { stdin: "select 1;\n" });
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringContaining("standard input is read"),
    });
    expect((await seed("--file - --yes", { stdin: "select 1;\n" })).status).toBe(0);
  });

  it("has psql run a file with its commands if --allow-meta-commands says so", async () => {
    write("seed.sql", "\\i more.sql\n");
    expect(await seed("")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--allow-meta-commands"),
    });
    const { json } = await seed("--allow-meta-commands -o json");
    expect(json).toMatchObject({ program: "psql", file: join(place.folder, "seed.sql") });
    const line = place.programs.linesOf("psql").at(-1);
    expect(line).toBe(
      `--no-password --set=VERBOSITY=verbose --no-psqlrc --quiet --single-transaction --set=ON_ERROR_STOP=1 --file=${join(place.folder, "seed.sql")}`,
    );
    expect(place.statements()).toEqual([]);
  });

  it("says why psql has failed", async () => {
    write("seed.sql", "\\i more.sql\n");
    const { psql } = place;
    const stderr = 'psql:seed.sql:1: ERROR:  42P01: relation "x" does not exist\n';
    place.psql = (call) => (call.args.includes("--single-transaction") ? { status: 3, stderr } : psql(call));
    const result = await seed("--allow-meta-commands");
    expect(result).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('relation "x" does not exist'),
    });
  });

  it.each([
    ["a dump", "x.dump", "PGDMP", "", "Use mgmt db restore"],
    ["compressed for psql", "x.sql.gz", gzipSync("select 1;\n"), "--allow-meta-commands", "Unpack it first"],
  ])("refuses a file that is %s, and sends nothing", async (_, name, content, flags, text) => {
    write(name, content);
    const { length } = place.server.engine.requests;
    const result = await seed(`--file ${name} ${flags}`.trim());
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining(text) });
    expect(place.server.engine.requests).toHaveLength(length);
  });
});
