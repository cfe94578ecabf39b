import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { redactConnectionStrings } from "../../run/failures/redact-connection-strings.js";
import { runInProcess } from "../../../test/in-process.js";
import { type DatabasePlace, useDatabasePlace } from "../../../test/commands/db/database-place.js";

describe("a connection string in the wrong place of a command line", () => {
  const strings = [
    "postgresql://u:hidden@h.example/db",
    "jdbc:postgresql://h/db?user=u&password=hidden",
    "host=h password='hidden'",
    "Host=h;Password=hidden",
  ];

  it.each([
    ["db import db_1 --source-env", 2, "--source-env OLD_DATABASE_URL"],
    ["db import db_1 --source-file", 2, "cannot read"],
    ["db import db_1 --source", 2, "nknown option"],
    ["db restore db_1 --file", 2, "cannot read"],
    ["apply --file", 2, "cannot be read"],
    ["env --name", 2, "--name cannot be"],
    ["db", 2, "Unknown command"],
    ["db copy one two", 2, "does not accept"],
  ])("is not repeated in an error: mgmt %s", async (line, status, part) => {
    const env = { MGMT_BASE_URL: "http://127.0.0.1:9", MGMT_TOKEN: "token" };
    for (const text of strings) {
      const result = await runInProcess([...line.split(" "), text], { env });
      expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(part)]);
      expect(result.stderr).not.toContain("hidden");
    }
  });

  it("is not repeated in a hint or a command either", () => {
    const [text = ""] = strings;
    const failure = {
      exitCode: 6,
      code: "name:not_found",
      message: `No database has the id or name ${JSON.stringify(text)}`,
      hint: `Run mgmt databases get ${text}.`,
      next: [["mgmt", "databases", "get", text]],
    };
    expect(redactConnectionStrings(failure, ["psql", text])).toEqual({
      ...failure,
      message: 'No database has the id or name "…"',
      hint: "Run mgmt databases get ….",
      next: [["mgmt", "databases", "get", "…"]],
    });
    expect(redactConnectionStrings(failure, ["psql", "shop"])).toBe(failure);
  });
});

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});
const source = "postgresql://ada:hidden%40@old.example:5433/old?sslmode=require&application_name=x";

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

  it("needs a connection string where nothing can be asked", async () => {
    const result = await place.run(`db import ${place.copy}`);
    expect(result).toMatchObject({ status: 3, stderr: expect.stringContaining("--source-env NAME or") });
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

describe("a source that is not a connection string of a database", () => {
  it.each([
    ["no host", "postgresql:///db?password=hidden", "it has no host"],
    ["no host in keywords", "user=u password=hidden", "it has no host"],
    ["a port that does not exist", "postgresql://u:hidden@h:70000/db", "1 and 65535"],
    ["an unknown sslmode", "postgresql://u:hidden@h/db?sslmode=hidden", "sslmode has a value"],
    ["a number with a unit", "postgresql://u:hidden@h/db?connect_timeout=10s", "connect_timeout has"],
    ["a percent sign that encodes nothing", "postgresql://u:hidden%zz@127.0.0.1/db", "%25"],
  ])("has %s: the error says so, and repeats nothing of it", async (_, text, part) => {
    const line = ["db", "import", "db_1", "--source-env", "X"];
    const { status, stdout, stderr } = await runInProcess(line, { env: { X: text } });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("The variable X is not a Postgres connection string: ");
    expect(stderr).toContain("usage:invalid");
    expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/hid|den/);
  });
});
