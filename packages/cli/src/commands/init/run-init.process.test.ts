import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Account, startAccount } from "../../../test/commands/auth/account.js";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import type { Setup } from "../../../test/in-process.js";
import { type Step, inPty } from "../../../test/pty.js";
import type { Result } from "../../../test/result.js";

const root = temporaryFolder();
let account: Account;
let folder: string;
let projectId: string;
let name: string;
let other: string;
beforeAll(async () => {
  await ensureBuilt();
  account = await startAccount();
  await account.login();
});
afterAll(() => account.close());
beforeEach(async () => {
  folder = mkdtempSync(join(root, "app-"));
  name = `shop-${basename(folder).slice(-6)}`;
  projectId = (await account.server.engine.seed.project({ name })).id;
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
});

const run = (line: string, setup: Setup = {}): Promise<Result> =>
  account.run(line.split(" "), { cwd: folder, ...setup, env: { PATH: process.env["PATH"], ...setup.env } });
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const projects = () => account.server.engine.rows.projects.list({});

/** Runs the command in a folder, in a pseudo-terminal. */
const inPtyIn = (cwd: string, words: readonly string[], steps: readonly Step[]) =>
  inPty(words, steps, account.env, 200, cwd);

describe("mgmt init", () => {
  it("links the folder, ignores what is not to be committed, and writes the connection string", async () => {
    const { status, json, stderr } = await run(`init --project-id ${name} -o json`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(json).toEqual({
      project: { id: projectId, name, created: false },
      link: join(folder, ".mgmt/link.json"),
      ignored: [".mgmt/", ".env"],
      envFile: join(folder, ".env"),
      variable: "DATABASE_URL",
    });
    expect(JSON.parse(read(".mgmt/link.json"))).toMatchObject({ projectId });
    expect(read(".gitignore")).toBe(".mgmt/\n.env\n");
    expect(read(".env")).toMatch(/^DATABASE_URL="postgresql:/);
  });

  it("changes nothing the second time, also without flags", async () => {
    await run(`init --project-id ${name}`);
    const before = [".gitignore", ".env", ".mgmt/link.json"].map(read);
    const { status, json, errors } = await run("init -o json");
    expect({ status, json }).toMatchObject({ status: 0, json: { project: { id: projectId }, ignored: [] } });
    // The link may be from a repository of somebody else.
    const from = join(folder, ".mgmt/link.json");
    const message = `Using project ${name} (${projectId}) from ${from}`;
    expect(errors).toContainEqual({ notice: { code: "link:used", message, from } });
    expect([".gitignore", ".env", ".mgmt/link.json"].map(read)).toEqual(before);
  });

  it.skipIf(process.platform === "win32")(
    "keeps the mode of an env file, and says how to restrict it",
    async () => {
      writeFileSync(join(folder, ".env"), "A=1\n");
      chmodSync(join(folder, ".env"), 0o640);
      const { status, errors } = await run(`init --project-id ${name} -o json`);
      expect(status).toBe(0);
      const file = join(folder, ".env");
      const message = `Other accounts may be able to read ${file}, whose mode is 640. Unless they should, run: chmod 600 ${file}`;
      expect(errors).toEqual([{ warning: { code: "env:open_mode", message, file, mode: "640" } }]);
      expect(statSync(file).mode & 0o777).toBe(0o640);
    },
  );

  it("finds a default database that is not on the first page of the list", async () => {
    const { seed } = account.server.engine;
    for (let count = 0; count < 100; count += 1)
      await seed.database(projectId, { name: `d${String(count)}` });
    const { id } = await seed.database(projectId, { name: "last", isDefault: true });
    expect(await run(`init --project-id ${name}`)).toMatchObject({ status: 0 });
    const [connection] = account.server.engine.rows.connections.list({ databaseId: id });
    expect(read(".env")).toContain(connection?.user ?? "no connection");
  });

  it("creates a project once", async () => {
    const line = `init --create ${name}-new --region eu-central-1 -o json`;
    const first = await run(line);
    expect(first.json).toMatchObject({ project: { name: `${name}-new`, created: true } });
    expect((await run(line)).json).toMatchObject({ project: { created: false } });
    expect(projects().filter((each) => each.name === `${name}-new`)).toHaveLength(1);
    const other = await run("init --create another");
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining("Run mgmt unlink first") });
    expect(projects().some((each) => each.name === "another")).toBe(false);
  });

  it("leaves out what flags say, and keeps the lines of .gitignore", async () => {
    writeFileSync(join(folder, ".gitignore"), "node_modules/\r\n.mgmt/");
    await run(`init --project-id ${name} --file .env.local --name URL`);
    expect(read(".gitignore")).toBe("node_modules/\r\n.mgmt/\r\n.env.local\r\n");
    expect(read(".env.local")).toMatch(/^URL="/);
    const bare = mkdtempSync(join(root, "bare-"));
    await account.run(["init", "--project-id", name, "--no-env", "--no-gitignore"], { cwd: bare });
    expect(existsSync(join(bare, ".env"))).toBe(false);
    expect(existsSync(join(bare, ".gitignore"))).toBe(false);
    expect(existsSync(join(bare, ".mgmt/link.json"))).toBe(true);
  });

  it("follows no symbolic link of .gitignore", async () => {
    const outside = join(mkdtempSync(join(root, "outside-")), "file");
    writeFileSync(outside, "precious\n");
    symlinkSync(outside, join(folder, ".gitignore"));
    const { status, stderr } = await run(`init --project-id ${name}`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("gitignore:unwritable"),
    });
    expect(readFileSync(outside, "utf8")).toBe("precious\n");
  });

  it.each([
    ["init", 3, "Missing --project-id or --create"],
    ["init --project-id nobody-has-this", 6, "nobody-has-this"],
    ["init --project-id x --create y", 2, "--create"],
    ["init --region eu-central-1", 2, "--region needs --create"],
    ["init --create x --region mars", 7, "region"],
    ["init --project-id shop --file -", 2, "mgmt env --file - prints it"],
    ["init shop", 2, "does not accept"],
  ])("refuses a wrong command line, and writes nothing: %s", async (line, status, text) => {
    const result = await run(line);
    expect([result.status, result.stdout, result.stderr]).toEqual([
      status,
      "",
      expect.stringContaining(text),
    ]);
    expect(existsSync(join(folder, ".mgmt"))).toBe(false);
    expect(existsSync(join(folder, ".env"))).toBe(false);
  });

  it("asks on a terminal for the project and for each step", async () => {
    const steps: Step[] = [
      { when: /This folder:[\s\S]*Choose a project/, type: "\r" },
      { when: /Project:[\s\S]*shop-/, type: `${name}` },
      { when: new RegExp(`${name}[\\s\\S]*${name}`), type: "\r" },
      { when: /Write DATABASE_URL into \.env\?/, type: "n\r" },
      { when: /Add \.mgmt\/ to \.gitignore\?/, type: "y\r" },
    ];
    const { status, screen } = await inPtyIn(folder, ["init"], steps);
    expect(status, screen).toBe(0);
    expect(JSON.parse(read(".mgmt/link.json"))).toMatchObject({ projectId });
    expect(read(".gitignore")).toBe(".mgmt/\n");
    expect(existsSync(join(folder, ".env"))).toBe(false);
  });
});

describe("mgmt init on a terminal, in a folder with a link", () => {
  it.each([
    ["y", () => projectId],
    ["n", () => other],
  ])("asks whether to use its project: %s", async (key, expected) => {
    const { seed } = account.server.engine;
    other = (await seed.project({ name: `other-${name}` })).id;
    await run(`init --project-id ${name} --no-env --no-gitignore`);
    const steps: Step[] = [
      {
        when: new RegExp(`link\\.json links this folder[\\s\\S]*${name}[\\s\\S]*Use it\\?`),
        type: `${key}\r`,
      },
      ...(key === "y"
        ? []
        : [
            { when: /This folder:[\s\S]*Choose a project/, type: "\r" },
            { when: /Project:[\s\S]*shop-/, type: `other-${name}` },
            { when: new RegExp(`other-${name}[\\s\\S]*other-${name}`), type: "\r" },
          ]),
    ];
    const { status, screen } = await inPtyIn(folder, ["init", "--no-env", "--no-gitignore"], steps);
    expect(status, screen).toBe(0);
    expect(JSON.parse(read(".mgmt/link.json"))).toMatchObject({ projectId: expected() });
  });
});
