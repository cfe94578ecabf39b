import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, dumpOf, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

const answering = (answer: string) => ({
  terminal: true,
  reply: (stderr: string) => (stderr.includes("Continue?") ? answer : undefined),
});
const source = "postgresql://ada:hidden%40@old.example:5433/old?sslmode=require&application_name=x";

describe("mgmt db copy", () => {
  it("passes what pg_dump writes on to the other database", async () => {
    const { status, json, stderr } = await place.run(`db copy ${place.shop} ${place.copy} -o json`);
    expect(status, stderr).toBe(0);
    expect(json).toEqual({
      from: place.shop,
      databaseId: place.copy,
      bytes: dumpOf("create table t ();").length,
    });
    expect(place.programs.linesOf("pg_dump")).toEqual(["--no-password --no-owner --no-privileges"]);
    expect(place.statements()).toEqual(["begin", expect.stringContaining("create table t ()"), "commit"]);
    const { rows } = place.server.engine;
    const userOf = (databaseId: string) => rows.connections.list({ databaseId })[0]?.user;
    const dump = place.programs.calls.find(({ name }) => name === "pg_dump");
    expect([dump?.env["PGUSER"], place.postgres.sessions.at(-1)?.["user"]]).toEqual([
      userOf(place.shop),
      userOf(place.copy),
    ]);
  });

  it("asks on a terminal also about an empty database, because the two are easily swapped", async () => {
    const line = `db copy ${place.shop} ${place.copy}`;
    const no = await place.run(line, answering("n\n"));
    expect(no.status).toBe(3);
    expect(no.stderr.replaceAll(/\s+/g, " ")).toContain("which is empty");
    expect(place.statements()).toEqual([]);
    expect((await place.run(line, answering("y\n"))).status).toBe(0);
  });

  it("needs --yes elsewhere if the other has tables", async () => {
    place.catalog.relations = ["public.a"];
    const refused = await place.run(`db copy ${place.shop} ${place.copy}`);
    expect(refused).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("1 tables and views (public.a)"),
    });
    expect((await place.run(`db copy ${place.shop} ${place.copy} --yes`)).status).toBe(0);
  });

  it.each([
    ["--clean", "--clean --if-exists"],
    ["--schema-only", "--schema-only"],
    ["--data-only", "--data-only"],
  ])("passes %s on", async (flag, args) => {
    await place.run(`db copy ${place.shop} ${place.copy} --yes ${flag}`);
    expect(place.programs.linesOf("pg_dump")).toEqual([`--no-password --no-owner --no-privileges ${args}`]);
  });

  it("refuses to copy a database into itself, whatever it is called", async () => {
    const before = place.programs.calls.length;
    const { name } = place.server.engine.store.databases.get(place.shop) ?? {};
    const result = await place.run(`db copy ${place.shop} shop/${name ?? ""} --yes`);
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining("are the same database") });
    expect(place.programs.calls).toHaveLength(before);
  });

  it("changes nothing if pg_dump breaks off, and ends it if the database refuses", async () => {
    place.pgDump = () => ({ stdout: dumpOf("select 1;"), status: 1, stderr: "pg_dump: error: lost\n" });
    const broken = await place.run(`db copy ${place.shop} ${place.copy}`);
    expect(broken).toMatchObject({ status: 1, stderr: expect.stringContaining("pg_dump failed: lost") });
    expect(broken.stderr).toContain(`Nothing was changed in database ${place.copy}.`);
    expect(place.statements()).not.toContain("commit");
    let ended = "";
    place.pgDump = async ({ killed }) => {
      void killed.then((signal) => (ended = signal));
      return { stdout: dumpOf("select broken;") };
    };
    place.reply = (statement) => (statement.includes("broken") ? { error: "no", state: "42703" } : undefined);
    expect((await place.run(`db copy ${place.shop} ${place.copy}`)).status).toBe(1);
    expect(ended).toBe("SIGINT");
  });
});

describe("mgmt db import", () => {
  it.each([
    ["--source-env OLD_URL", { env: { OLD_URL: source } }],
    ["--source-file url", {}],
    ["--source-file -", { stdin: source }],
  ])("passes the connection string of %s in the environment of programs only", async (flag, setup) => {
    writeFileSync(join(place.folder, "url"), `${source}\n`);
    const { status, json, stderr } = await place.run(`db import ${place.copy} ${flag} -o json`, setup);
    expect(status, stderr).toBe(0);
    expect(json).toMatchObject({ from: "old.example:5433/old", databaseId: place.copy });
    const dump = place.programs.calls.find(({ name }) => name === "pg_dump");
    expect(dump?.env).toMatchObject({
      PGHOST: "old.example",
      PGPORT: "5433",
      PGUSER: "ada",
      PGPASSWORD: "hidden@",
    });
    expect(dump?.env).not.toHaveProperty("OLD_URL");
    for (const { args } of place.programs.calls) expect(args.join(" ")).not.toContain("hidden");
    expect(stderr).not.toContain("hidden");
  });

  it("asks for the connection string on a terminal, and shows nothing of it", async () => {
    let answered = false;
    const result = await place.run(`db import ${place.copy} --yes`, {
      terminal: true,
      reply: (stderr) => {
        if (answered || !stderr.includes("Connection string")) return undefined;
        answered = true;
        return `  ${source}\n`;
      },
    });
    expect(result.status, result.stderr).toBe(0);
    expect(result.stderr + result.stdout).not.toContain("hidden");
  });

  it.each([
    ["--source-env 1X", {}, "not the name of a variable"],
    ["--source-env UNSET", {}, "UNSET of --source-env is not set"],
    ["--source-env EMPTY", { EMPTY: " " }, "EMPTY of --source-env is not set"],
  ])("refuses %s with %j", async (flag, env, text) => {
    const result = await place.run(`db import ${place.copy} ${flag}`, { env });
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining(text) });
  });

  it("says what it leaves out and what is not encrypted, without the values", async () => {
    const weak = `${source.replace("require", "disable")}&schema=public&sslpassword=hidden&foo=hidden`;
    const { stderr } = await place.run(`db import ${place.copy} --source-env OLD`, { env: { OLD: weak } });
    expect(stderr).toContain("were left out: schema, 1 more.");
    expect(stderr).toContain("Left out of the connection string: sslpassword.");
    expect(stderr).toContain("is not encrypted");
    expect(stderr).not.toContain("hidden");
  });
});
