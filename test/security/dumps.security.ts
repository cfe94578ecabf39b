import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { postgresFolder, withPostgres } from "../../packages/cli/test/commands/db/system-postgres.js";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { inPty } from "../../packages/cli/test/pty.js";
import { makeProject, query } from "../../packages/platform/test/api.js";
import { type DevProcess, startDevOf } from "./dev-process.js";

/** Writes the clipboard, clears the screen, and reverses the text that follows. */
const attack = "\u001b]52;c;cm0gLXJm\u0007\u001b[2J\u202e";
const command = "::stop-commands::x";

const root = temporaryFolder();
let dev: DevProcess;
let database: { readonly id: string; readonly connectionString: string };

describe.skipIf(!postgresFolder)(withPostgres("a user of a database that somebody dumps or seeds"), () => {
  beforeAll(async () => {
    await ensureBuilt();
    // pg_dump must not be older than the server.
    dev = await startDevOf(["env", `MGMT_POSTGRES=${postgresFolder ?? ""}`, process.execPath, bin]);
    ({ database } = await makeProject(dev.ready));
    await query(
      database.connectionString,
      `create table t (x text); insert into t values ('${attack}'), ('${command}'); comment on table t is '${attack}'`,
    );
  });
  afterAll(() => dev.stop());

  const env = (): NodeJS.ProcessEnv => ({
    PATH: process.env["PATH"],
    MGMT_POSTGRES: postgresFolder,
    MGMT_BASE_URL: dev.ready.baseUrl,
    MGMT_TOKEN: dev.ready.token,
    MGMT_CONFIG_DIR: dev.configDir,
  });

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)("controls no terminal", async () => {
    const { raw } = await inPty(["db", "dump", database.id], [], env());
    expect(raw).toContain("CREATE TABLE");
    for (const sequence of ["\u001b]52", "\u001b[2J", "\u202e"]) expect(raw).not.toContain(sequence);
  });

  it("runs no command in the log of a job, where a file has the rows as they are", () => {
    const file = join(mkdtempSync(join(root, "job-")), "dump.sql");
    const line = [process.execPath, bin, "db", "dump", database.id];
    const job = { env: { ...env(), CI: "true", GITHUB_ACTIONS: "true" }, encoding: "utf8" } as const;
    const logged = spawnSync("env", line, job);
    expect(logged).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("log of this job"),
    });
    expect(spawnSync("sh", ["-c", '"$@" > "$0"', file, ...line], job).status).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(`${attack}\n${command}\n`);
  });

  it("runs nothing on the machine by functions in the place of those of Postgres", async () => {
    const { database: other } = await makeProject(dev.ready);
    const folder = mkdtempSync(join(root, "catalog-"));
    const file = join(folder, "owned");
    await query(
      other.connectionString,
      `create table t as select 1 as x; create function public.format(text, variadic name[]) returns text
        language sql immutable as $$ select E'\\n\\\\! touch ${file}\\n' $$`,
    );
    // The control: psql runs the answer of the database if it gets it as input.
    const url = other.connectionString;
    const psql = (...args: string[]) => ["--no-psqlrc", "--tuples-only", "--no-align", ...args, url];
    const program = join(postgresFolder ?? "", "psql");
    const { stdout } = spawnSync(program, psql("--command=select public.format('%I', 't'::name)"), {
      encoding: "utf8",
    });
    spawnSync(program, psql("--file=-"), { input: stdout });
    expect(existsSync(file)).toBe(true);
    rmSync(file);

    writeFileSync(join(folder, "seed.sql"), "select 1;");
    const seeded = spawnSync(process.execPath, [bin, "db", "seed", other.id, "--yes"], {
      cwd: folder,
      env: env(),
      encoding: "utf8",
    });
    expect(seeded).toMatchObject({ status: 0, stderr: expect.stringContaining("Ran ") });
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["\\!", "\\! touch FILE"],
    ["\\copy", "\\copy (select 1) to program 'touch FILE'"],
    ["\\g", "select 1 \\g | touch FILE"],
    ["a backtick", "\\set x `touch FILE`"],
    ["\\! behind a comment that a carriage return ends", "-- a\r\\! touch FILE"],
    [
      "\\! behind rows",
      "create table r (x text);\ncopy/**/r from--\n/**/stdout;\n$$\n\\.\n\\! touch FILE\n--$$",
    ],
  ])("runs no command of a file of SQL with %s, however the file arrives", (_, attempt) => {
    const folder = mkdtempSync(join(root, "script-"));
    const file = join(folder, "owned");
    const script = `${attempt.replace("FILE", file)}\n`;
    writeFileSync(join(folder, "seed.sql"), script);
    // The control: psql runs it.
    const control = ["--no-psqlrc", "--file=seed.sql", database.connectionString];
    spawnSync(join(postgresFolder ?? "", "psql"), control, { cwd: folder });
    expect(existsSync(file)).toBe(true);
    rmSync(file);

    writeFileSync(join(folder, "seed.sql.gz"), gzipSync(script));
    for (const [verb, name] of [
      ["seed", "seed.sql"],
      ["seed", "-"],
      ["restore", "seed.sql"],
      ["restore", "seed.sql.gz"],
      ["restore", "-"],
    ]) {
      const line = [bin, "db", verb ?? "", database.id, "--yes", "--file", name ?? ""];
      spawnSync(process.execPath, line, { cwd: folder, env: env(), input: script });
      expect({ verb, name, isOwned: existsSync(file) }).toEqual({ verb, name, isOwned: false });
    }
  });

  it("runs no program and no SQL of its own where the dump is restored or copied", async () => {
    const cwd = mkdtempSync(join(root, "victim-"));
    const victim = (await makeProject(dev.ready)).database;
    await query(victim.connectionString, "create table precious as select 1 as id");
    const { database: hostile } = await makeProject(dev.ready);
    const name = "x\n\\! touch owned\n;drop table public.precious;--";
    await query(
      hostile.connectionString,
      `create table "${name}" (x text); insert into "${name}" values (E'\\n\\\\.\\n\\\\! touch owned'); comment on table "${name}" is '${name}'`,
    );
    for (const line of [
      ["dump", hostile.id, "--file", "x.sql"],
      ["dump", hostile.id, "--file", "x.dump"],
      ["copy", hostile.id, victim.id, "--clean", "--yes"],
      ["restore", victim.id, "--file", "x.dump", "--clean", "--yes"],
      ["copy", hostile.id, victim.id, "--clean", "--yes"],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [bin, "db", ...line], {
        cwd,
        env: env(),
        encoding: "utf8",
      });
      expect({ line, status, stderr }).toMatchObject({ status: 0 });
    }
    expect(readdirSync(cwd).toSorted()).toEqual(["x.dump", "x.sql"]);
    expect(await query(victim.connectionString, `select p.id, t.x from precious p, "${name}" t`)).toEqual([
      { id: 1, x: "\n\\.\n\\! touch owned" },
    ]);
  });
});
