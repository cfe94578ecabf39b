import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, dumpOf, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const pgDumpCall = () => {
  const call = place.programs.calls.find(({ name }) => name === "pg_dump");
  if (!call) throw new Error("pg_dump was not started");
  return call;
};

describe("mgmt db dump", () => {
  it("writes a new file for this user only, which appears when it is complete", async () => {
    place.pgDump = () => {
      expect(readdirSync(place.folder)).toEqual([expect.stringMatching(/^shop\.sql\..*\.part$/)]);
      return { stdout: dumpOf(), stderr: "pg_dump: warning: something\n" };
    };
    const { status, json, errors } = await place.run(`db dump ${place.shop} --file shop.sql -o json`);
    const file = join(place.folder, "shop.sql");
    expect({ status, json }).toEqual({
      status: 0,
      json: {
        databaseId: place.shop,
        file,
        format: "plain",
        bytes: dumpOf().length,
        postgresVersion: "18.4",
      },
    });
    expect(errors).toEqual([{ notice: { code: "db:message", message: "pg_dump: warning: something" } }]);
    expect(readFileSync(file, "utf8")).toBe(dumpOf());
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["--file a.sql", ["--format=plain"]],
    ["--file a.dump", ["--format=custom"]],
    ["--file a.pgdump", ["--format=custom"]],
    ["--file a.dump.sql", ["--format=plain"]],
    ["--file a.dump --format plain", ["--format=plain"]],
    ["--file a.sql --format custom", ["--format=custom"]],
    ["--file a.sql --schema-only", ["--format=plain", "--schema-only"]],
    ["--file a.sql --data-only", ["--format=plain", "--data-only"]],
    [
      "--file a.sql --table User --table sales.Or*",
      [
        "--format=plain",
        "--strict-names",
        '--table-and-children="User"',
        '--table-and-children="sales"."Or"*',
      ],
    ],
  ])("passes %s on", async (flags, args) => {
    expect((await place.run(`db dump ${place.shop} ${flags}`)).status).toBe(0);
    const { args: actual } = pgDumpCall();
    expect(actual.filter((arg) => !["--no-password", "--no-owner", "--no-privileges"].includes(arg))).toEqual(
      args,
    );
    expect(actual).toEqual(expect.arrayContaining(["--no-password", "--no-owner", "--no-privileges"]));
  });

  it("passes the password in the environment, without variables of this command and of libpq", async () => {
    const env = { PGOPTIONS: "-c x=1", PGSERVICE: "other", MGMT_DEBUG: "1", PG_COLOR: "always" };
    await place.run(`db dump ${place.shop} --file a.sql`, { env });
    const { args, env: actual } = pgDumpCall();
    const { rows } = place.server.engine;
    const [connection] = rows.connections.list({ databaseId: place.shop });
    expect(actual).toMatchObject({
      PGHOST: "127.0.0.1",
      PGPORT: String(place.postgres.port),
      PGPASSWORD: connection?.pass,
      PGSSLMODE: "disable",
      PG_COLOR: "always",
      LC_ALL: "C",
    });
    for (const name of ["PGOPTIONS", "PGSERVICE", "MGMT_TOKEN", "MGMT_BASE_URL", "MGMT_DEBUG"])
      expect(actual).not.toHaveProperty(name);
    expect(args.join(" ")).not.toContain(connection?.pass);
  });

  it.each<[string, Partial<Record<"status" | "signal" | "error", unknown>> & { stderr?: string }, string]>([
    [
      "pg_dump fails",
      { status: 1, stderr: "pg_dump: error: out of memory\n" },
      "pg_dump failed: out of memory",
    ],
    ["it is killed", { signal: "SIGKILL" }, "program:killed"],
    ["it does not start", { error: "EAGAIN" }, "program:not_started"],
  ])("leaves no file if %s", async (_, end, text) => {
    place.pgDump = () => ({ stdout: "half of it", ...(end as object) });
    const result = await place.run(`db dump ${place.shop} --file shop.sql`);
    expect(result.status).not.toBe(0);
    expect(result.stderr).toContain(text);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("overwrites no file, also not one that appears while pg_dump runs", async () => {
    const file = join(place.folder, "shop.sql");
    place.pgDump = () => {
      writeFileSync(file, "theirs");
      return { stdout: dumpOf() };
    };
    const refused = { status: 2, stderr: expect.stringContaining("file:exists") };
    expect(await place.run(`db dump ${place.shop} --file shop.sql`)).toMatchObject(refused);
    const { length } = place.programs.calls;
    expect(await place.run(`db dump ${place.shop} --file shop.sql`)).toMatchObject(refused);
    expect([place.programs.calls.length, readFileSync(file, "utf8")]).toEqual([length, "theirs"]);
    expect(readdirSync(place.folder)).toEqual(["shop.sql"]);
  });

  it("says which file cannot be written, before pg_dump runs", async () => {
    mkdirSync(join(place.folder, "folder"));
    const result = await place.run(`db dump ${place.shop} --file missing/shop.sql`);
    expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining("file:unwritable") });
    expect(place.programs.linesOf("pg_dump")).toEqual([]);
    expect(existsSync(join(place.folder, "missing"))).toBe(false);
  });

  it.each([
    ["--format custom", { terminal: true }, 2, "cannot be printed on a terminal"],
    ["--format plain", { env: { GITHUB_ACTIONS: "true" } }, 2, "printed into the log of this job"],
    ["--format tar --file x", {}, 2, "plain, custom"],
    ["--schema-only --data-only --file x", {}, 2, "--data-only"],
    ["--table a.b.c --file x", {}, 2, "a.b.c is not the name of a table"],
    ["--table a. --file x", {}, 2, "a. is not the name of a table"],
  ])("refuses %s with %j before anything is sent", async (flags, setup, status, text) => {
    const { length } = place.server.engine.requests;
    const result = await place.run(`db dump ${place.shop} ${flags}`, setup);
    expect(result).toMatchObject({ status, stderr: expect.stringContaining(text) });
    expect(place.server.engine.requests).toHaveLength(length);
  });

  it.each([
    ["--file -", { env: { GITHUB_ACTIONS: "true" } }],
    ["--format custom", {}],
  ])("accepts %s with %j, because a program reads it", async (flags, setup) => {
    place.pgDump = () => ({});
    expect((await place.run(`db dump ${place.shop} ${flags}`, setup)).status).toBe(0);
    expect(place.programs.linesOf("pg_dump")).toHaveLength(1);
  });

  it("says how tables are named only if pg_dump has failed for some", async () => {
    place.pgDump = () => ({ status: 1, stderr: "pg_dump: error: no matching tables were found\n" });
    const some = await place.run(`db dump ${place.shop} --file a.sql --table user`);
    expect(some.stderr).toContain("--table takes names as the database has them");
    const all = await place.run(`db dump ${place.shop} --file a.sql`);
    expect(all.stderr).not.toContain("--table takes names");
  });

  it("prints it on a terminal with escapes, and all lines", async () => {
    place.pgDump = () => ({ stdout: "one\nt\u001B[31mwo\nthree" });
    const { stdout } = await place.run(`db dump ${place.shop}`, { terminal: true });
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "one",
      expect.stringMatching(/^t.{2,}\[31mwo$/),
      "three",
    ]);
    expect(stdout).not.toContain("\u001B[31m");
  });

  it("finds the default database of the project, by the flag, before that of the variable", async () => {
    const other = await place.server.engine.seed.project({ name: "other" });
    const env = { MGMT_PROJECT_ID: place.projectId };
    const idOf = async (line: string): Promise<unknown> =>
      ((await place.run(line, { env })).json as { databaseId: string }).databaseId;
    expect(await idOf("db dump --file a.sql -o json")).toBe(place.shop);
    expect(await idOf(`db dump --file b.sql -o json --project-id ${other.id}`)).toBe(other.database?.id);
    expect(await place.run("db dump --file c.sql")).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("no default project"),
    });
  });
});
