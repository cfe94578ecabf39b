import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { chooseCopyMethod } from "./copy-method.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mgmt-copy-method-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

/** Makes a program in the place of Postgres that ends with this status. */
const makeBinaries = async (status: number, major = 18) => {
  const program = join(directory, "postgres");
  await writeFile(program, `#!/bin/sh\nexit ${String(status)}\n`);
  await chmod(program, 0o755);
  return { directory, major, version: `${String(major)}.0` };
};

const makeSample = () => writeFile(join(directory, "PG_VERSION"), "18\n");

it.each([
  ["Postgres is too old", makeSample, 0, 17],
  ["Postgres refuses the setting", makeSample, 1, 18],
  ["there is no cluster", () => Promise.resolve(), 0, 18],
  ["a pipe is in the place of the file", () => spawnSync("mkfifo", [join(directory, "PG_VERSION")]), 0, 18],
])("copies files where %s", async (_, prepare, status, major) => {
  await prepare();
  expect(await chooseCopyMethod(directory, await makeBinaries(status, major), undefined)).toBe("copy");
});

it("leaves no file behind, and removes one that a killed process has left", async () => {
  await makeSample();
  await writeFile(join(directory, "PG_VERSION.0123456789ab.tmp"), "");
  const binaries = await makeBinaries(0);
  await chooseCopyMethod(directory, binaries, undefined);
  expect((await readdir(directory)).toSorted()).toEqual(["PG_VERSION", "postgres"]);
});
