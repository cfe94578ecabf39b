import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type RunQuery, removeAbandonedFiles } from "./abandoned-files.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mgmt-abandoned-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const name of ["1", "5", "16384", "16385", "16386", "pgsql_tmp", "016390"])
    await mkdir(join(directory, "base", name), { recursive: true });
  await writeFile(join(directory, "base/16384/1259"), "rows");
  await writeFile(join(directory, "base/16387"), "no folder");
});

const makeQuery =
  (creations: object[], onRead: () => Promise<unknown> = () => Promise.resolve()): RunQuery =>
  async <Row extends object>(text: string) => {
    if (text.includes("pg_locks")) return creations as Row[];
    await onRead();
    return ["1", "5", "16385"].map((oid) => ({ oid })) as object[] as Row[];
  };

const list = async () => (await readdir(join(directory, "base"))).toSorted();

it("removes the folders of databases that Postgres does not have, and nothing else", async () => {
  await removeAbandonedFiles(directory, makeQuery([]));
  expect(await list()).toEqual(["016390", "1", "16385", "16387", "5", "pgsql_tmp"]);
});

it("removes nothing while a database is being created", async () => {
  const before = await list();
  await removeAbandonedFiles(directory, makeQuery([{}]));
  expect(await list()).toEqual(before);
});

it("leaves the files of a database alone whose creation begins meanwhile", async () => {
  await removeAbandonedFiles(
    directory,
    makeQuery([], () => mkdir(join(directory, "base/16400"))),
  );
  expect(await list()).toContain("16400");
});

it("removes nothing if Postgres cannot say which databases it has", async () => {
  const before = await list();
  const query = makeQuery([], () => Promise.reject(new Error("lost")));
  await expect(removeAbandonedFiles(directory, query)).rejects.toThrow("lost");
  expect(await list()).toEqual(before);
});
