import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

describe.skipIf(!postgresFolder)(withPostgres("a user of a database whose dump somebody makes"), () => {
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
});
