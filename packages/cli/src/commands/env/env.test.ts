import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findOpenQuoteLine, replaceAssignments } from "../../working-directory/env-file.js";
import { type Account, startAccount } from "../../../test/commands/auth/account.js";
import { temporaryFolder } from "../../../test/folders.js";
import type { Result } from "../../../test/result.js";

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
  const { rows } = account.server.engine;
  const connection = rows.connections.list({ databaseId })[0];
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

  it.each([
    ["a missing database", "env", {}, 3, "this folder has no default project"],
    ["an unknown database", "env db_nope", {}, 6, "database:not_found"],
    ["an invalid variable", "env --name 1X", undefined, 2, '--name cannot be "1X"'],
    ["a variable of the system", "env --name PATH", undefined, 2, "--name cannot be PATH, which changes how"],
    ["an invalid variable", "run --name A=B -- true", undefined, 2, '--name cannot be "A=B"'],
    ["a variable of the system", "run --name LD_PRELOAD -- true", undefined, 2, "variable:reserved"],
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
      stderr: expect.stringContaining(`mgmt databases create --project-id ${id}`),
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
    ["URL=1\nA=2\nexport URL='3' # c\n", 'URL="x"\nA=2\nexport URL="x" # c\n'],
    ["MY_URL=1\n#URL=2\nURLS=3\n", 'MY_URL=1\n#URL=2\nURLS=3\nURL="x"\n'],
    ["URL=\n", 'URL="x"\n'],
    ["\u00ff\u00e9=\u00e4\n", '\u00ff\u00e9=\u00e4\nURL="x"\n'],
    ['A="first\nURL=inside\nlast"\nB=2\n', 'A="first\nURL=inside\nlast"\nB=2\nURL="x"\n'],
    ['URL=old\nA="first\nURL=inside"\n', 'URL="x"\nA="first\nURL=inside"\n'],
    ["A='first\r\nURL=inside'\r\nURL=old\r\n", "A='first\r\nURL=inside'\r\nURL=\"x\"\r\n"],
    ["A=`first\nURL=inside`\n", 'A=`first\nURL=inside`\nURL="x"\n'],
    ['A="a \\"\nURL=inside\n\\"" # c\nURL=old\n', 'A="a \\"\nURL=inside\n\\"" # c\nURL="x"\n'],
    ['A="C:\\"\nURL="old"\n', 'A="C:\\"\nURL="x"\n'],
    ["# don't \"\nURL=old\nB=it's\n", '# don\'t "\nURL="x"\nB=it\'s\n'],
  ])("preserves everything but the variable: %j", (before, after) => {
    expect(replaceAssignments(before, "URL", "x")).toBe(after);
  });

  it.each([
    ['A="open', 1],
    ["A=1\r\nB='open\r\nURL=old\r\n", 2],
    ["A='open\nURL='old'\n", 1],
    ['# "\nA=`open # comment\nURL="x"\n', 2],
    ['A="\n', 1],
    ['A="two\nlines"\n  export B = "open \\" here\nURL="x"\n', 3],
  ])("has a quote that is not closed: %j", (text, line) => {
    expect(findOpenQuoteLine(text)).toBe(line);
  });

  it.each([
    "A=it's\n",
    'A="a"b\n',
    'A="C:\\"\nB=1\n',
    'A="two\nlines" # c\n',
    "A=''\n",
    "# don't\n",
    "it's\n",
    'A="it\'s"\n',
  ])("has no quote that is not closed: %j", (text) => {
    expect(findOpenQuoteLine(text)).toBeUndefined();
  });

  it("has the new value on every line that sets the variable, and the command says so", async () => {
    write("DATABASE_URL=first\nA=1\nDATABASE_URL='second'\n");
    const { status, stderr } = await run("env");
    expect(status).toBe(0);
    expect(stderr).toContain("on each of the 2 lines that set it.");
    expect(read()).toMatch(/^DATABASE_URL=("postgresql:[^"]+")\nA=1\nDATABASE_URL=\1\n$/);
    expect((await run("env")).stderr).toContain("already has this DATABASE_URL, on each of the 2 lines");
  });

  it("is not changed if a quote in it is not closed, and the error names the line", async () => {
    const text = 'A=1\nPASSWORD="s3cr3t\nB=2\n';
    write(text);
    const { status, stdout, stderr } = await run("env");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(
      /\.env cannot be changed, because the quote on line 2 .*env:invalid.*\nhint: .*Close the quote/s,
    );
    expect(stderr).not.toContain("s3cr3t");
    expect(read()).toBe(text);
  });

  it("preserves dollar signs of the value", () => {
    expect(replaceAssignments("URL=1", "URL", "a$&b$1")).toBe('URL="a$&b$1"');
  });
});

describe("mgmt run", () => {
  it.skipIf(process.platform === "win32" || process.geteuid?.() === 0)(
    "exits with 127 if no folder of PATH that can be entered has the program",
    async () => {
      const closed = join(folder, "closed");
      mkdirSync(closed, { mode: 0o000 });
      const PATH = `${closed}:${process.env["PATH"] ?? ""}`;
      const missing = await run("run -- no-such-program-here", { MGMT_PROJECT_ID: projectId, PATH });
      chmodSync(closed, 0o700);
      expect(missing).toMatchObject({ status: 127, stderr: expect.stringContaining("program:not_found") });
    },
  );
});

describe("mgmt psql", () => {
  it("names the package to install if psql is missing", async () => {
    const { status, stderr } = await run("psql", { MGMT_PROJECT_ID: projectId, PATH: folder });
    expect(status).toBe(127);
    expect(stderr).toMatch(/program:not_found.*hint: Install the client programs of Postgres/s);
  });
});
