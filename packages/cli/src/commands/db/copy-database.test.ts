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
