import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withVariable } from "../src/commands/env/env-file.js";
import { type Account, startAccount } from "./auth/account.js";
import { temporaryFolder } from "./folders.js";
import type { Result } from "./result.js";

const root = temporaryFolder();
let account: Account;
let folder: string;
let projectId: string;
let databaseId: string;
beforeAll(async () => {
  account = await startAccount();
  await account.login();
  const { id, database } = await account.server.engine.seed.project();
  projectId = id;
  databaseId = database?.id ?? "";
});
afterAll(() => account.close());
beforeEach(() => {
  folder = mkdtempSync(join(root, "app-"));
});

const run = (line: string, env: NodeJS.ProcessEnv = { MGMT_PROJECT_ID: projectId }): Promise<Result> =>
  account.run(line.split(" "), { cwd: folder, env });
const read = (name = ".env"): string => readFileSync(join(folder, name), "utf8");
const write = (text: string, name = ".env"): void => writeFileSync(join(folder, name), text);

const url = (): string => {
  const { store } = account.server.engine;
  const connection = store.connections.list({ databaseId })[0];
  return `postgresql://${connection?.user ?? ""}:${connection?.pass ?? ""}@`;
};

describe("mgmt env", () => {
  it("writes the connection string of the default database to a new file for this user only", async () => {
    const { status, stdout, stderr, json } = await run("env -o json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toEqual({
      file: join(folder, ".env"),
      variable: "DATABASE_URL",
      databaseId,
      changed: true,
    });
    expect(read()).toMatch(/^DATABASE_URL="postgresql:\/\/[^"]+\/postgres\?sslmode=\w+"\n$/);
    expect(read()).toContain(url());
    expect(stdout).not.toContain("postgresql:");
    expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);
  });

  it("changes nothing the second time", async () => {
    await run("env");
    const before = statSync(join(folder, ".env"));
    expect((await run("env")).stderr).toContain("already has this DATABASE_URL");
    expect(statSync(join(folder, ".env")).mtimeMs).toBe(before.mtimeMs);
  });

  it("accepts a database, a file and a variable, and keeps the mode of the file", async () => {
    write("A=1\n", ".env.test");
    chmodSync(join(folder, ".env.test"), 0o640);
    expect((await run(`env ${databaseId} --file .env.test --name TEST_URL`, {})).status).toBe(0);
    expect(read(".env.test")).toMatch(/^A=1\nTEST_URL="postgresql:/);
    expect(statSync(join(folder, ".env.test")).mode & 0o777).toBe(0o640);
  });

  it("writes through a symbolic link and leaves it one", async () => {
    write("A=1\n", "shared.env");
    symlinkSync("shared.env", join(folder, ".env"));
    await run("env");
    expect(lstatSync(join(folder, ".env")).isSymbolicLink()).toBe(true);
    expect(read("shared.env")).toMatch(/^A=1\nDATABASE_URL="/);
  });

  it.each([
    ["a missing database", "env", {}, 3, "There is no default project"],
    ["an unknown database", "env db_nope", {}, 6, "database:not_found"],
    ["an invalid variable", "env --name 1X", undefined, 2, '--name cannot be "1X"'],
    ["a file in a folder that does not exist", "env --file no/.env", undefined, 1, "env:unwritable"],
  ])("reports %s", async (_, line, env, status, message) => {
    const result = await run(line, env);
    expect(result).toMatchObject({ status, stdout: "" });
    expect(result.stderr).toContain(message);
    expect(result.stderr).toMatch(/hint: ./);
  });

  it("reports a project without a database, and one with several of which none is the default", async () => {
    const { seed } = account.server.engine;
    const { id } = await seed.project({ createDatabase: false });
    const none = await run("env", { MGMT_PROJECT_ID: id });
    expect(none).toMatchObject({
      status: 6,
      stderr: expect.stringContaining(`mgmt projects databases create ${id}`),
    });
    const databases = [await seed.database(id, { name: "a" }), await seed.database(id, { name: "b" })];
    const several = await run("env", { MGMT_PROJECT_ID: id });
    expect(several.status).toBe(7);
    for (const database of databases) expect(several.stderr).toContain(database.id);
  });
});

describe("an env file", () => {
  it.each([
    ["", 'URL="x"\n'],
    ["A=1", 'A=1\nURL="x"\n'],
    ["A=1\r\n", 'A=1\r\nURL="x"\r\n'],
    ["URL=old\nB=2\n", 'URL="x"\nB=2\n'],
    ["URL=old # why\r\nB=2", 'URL="x" # why\r\nB=2'],
    ['  export URL = "a\nb" # c\nB=2\n', '  export URL = "x" # c\nB=2\n'],
    ["URL='a#b'\n", 'URL="x"\n'],
    ["URL=1\nURL=2\n", 'URL=1\nURL="x"\n'],
    ["MY_URL=1\n#URL=2\nURLS=3\n", 'MY_URL=1\n#URL=2\nURLS=3\nURL="x"\n'],
    ["URL=\n", 'URL="x"\n'],
    ["\u00ff\u00e9=\u00e4\n", '\u00ff\u00e9=\u00e4\nURL="x"\n'],
  ])("preserves everything but the variable: %j", (before, after) => {
    expect(withVariable(before, "URL", "x")).toBe(after);
  });

  it("preserves dollar signs of the value", () => {
    expect(withVariable("URL=1", "URL", "a$&b$1")).toBe('URL="a$&b$1"');
  });
});

describe("mgmt run", () => {
  it("runs the command with the variable, without the token, and exits with its status", async () => {
    const script =
      "require('fs').writeFileSync('out', JSON.stringify([process.env.DATABASE_URL, process.env.MGMT_TOKEN ?? null])); process.exit(3)";
    const token = await account.server.engine.tokens.user();
    const env = {
      ...process.env,
      MGMT_PROJECT_ID: projectId,
      MGMT_TOKEN: token,
      MGMT_BASE_URL: account.server.baseUrl,
    };
    const line = ["run", "--", process.execPath, "-e", script];
    const { status, stdout, stderr } = await account.run(line, { cwd: folder, env });
    expect({ status, stdout, stderr }).toEqual({ status: 3, stdout: "", stderr: "" });
    expect(JSON.parse(read("out"))).toEqual([expect.stringContaining(url()), null]);
  });

  it("passes flags after the command to the command", async () => {
    const script = "require('fs').writeFileSync('out', JSON.stringify(process.argv.slice(1)))";
    const env = { PATH: process.env["PATH"], MGMT_PROJECT_ID: projectId };
    const line = ["run", process.execPath, "-e", script, "--", "--name", "x", "-o", "y"];
    expect((await account.run(line, { cwd: folder, env })).status).toBe(0);
    expect(JSON.parse(read("out"))).toEqual(["--name", "x", "-o", "y"]);
  });

  it("exits with 128 and the number of the signal that ended the command", async () => {
    const line = ["run", "--", process.execPath, "-e", "process.kill(process.pid, 'SIGTERM')"];
    const env = { PATH: process.env["PATH"], MGMT_PROJECT_ID: projectId };
    expect((await account.run(line, { cwd: folder, env })).status).toBe(143);
  });

  it("reports a program that does not exist, and a missing command", async () => {
    const missing = await run("run -- no-such-program-here");
    expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining("program:not_found") });
    expect(missing.stderr).not.toContain("postgresql:");
    expect((await run("run")).status).toBe(3);
  });
});

describe("mgmt psql", () => {
  it("names the package to install if psql is missing", async () => {
    const { status, stderr } = await run("psql", { MGMT_PROJECT_ID: projectId, PATH: folder });
    expect(status).toBe(1);
    expect(stderr).toMatch(/program:not_found.*hint: Install the client programs of Postgres/s);
  });

  it("passes the connection in the environment and nothing but its arguments on the command line", async () => {
    const script = `#!${process.execPath}
require("fs").writeFileSync("out", JSON.stringify({ args: process.argv.slice(2), env: process.env }))`;
    writeFileSync(join(folder, "psql"), script, { mode: 0o755 });
    const env = { PATH: folder, MGMT_PROJECT_ID: projectId };
    const line = ["psql", databaseId, "--", "--command", "select 1"];
    expect((await account.run(line, { cwd: folder, env })).status).toBe(0);
    const { args, env: given } = JSON.parse(read("out")) as { args: string[]; env: Record<string, string> };
    expect(args).toEqual(["--command", "select 1"]);
    expect(url()).toBe(`postgresql://${given["PGUSER"]}:${given["PGPASSWORD"]}@`);
    expect(given).toMatchObject({ PGDATABASE: "postgres", PGPORT: expect.stringMatching(/^\d+$/) });
  });
});
