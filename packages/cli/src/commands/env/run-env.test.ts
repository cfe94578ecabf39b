import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Account } from "../../../test/commands/auth/account.js";
import { useShopFolder } from "../../../test/shop-folder.js";
import type { Result } from "../../../test/result.js";

const current = useShopFolder();
let account: Account;
let folder: string;
let databaseId: string;
beforeEach(() => {
  ({ account, folder, databaseId } = current());
});

const run = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> => current().run(line, { env });
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

  it("says which variable of the job it has set", async () => {
    write("", "job-env");
    const { status, stderr } = await run("env --github-env TEST_URL", {
      GITHUB_ENV: join(folder, "job-env"),
    });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Set TEST_URL for the following steps of the job."),
    });
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
    expect((await run(`env ${databaseId} --file .env.test --name TEST_URL`)).status).toBe(0);
    expect(read(".env.test")).toMatch(/^A=1\nTEST_URL="postgresql:/);
    expect(statSync(join(folder, ".env.test")).mode & 0o777).toBe(0o640);
  });

  it.each([
    ["a missing database", "env", { MGMT_PROJECT_ID: "" }, 3, "this folder has no default project"],
    ["an unknown database", "env db_nope", undefined, 6, "database:not_found"],
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
