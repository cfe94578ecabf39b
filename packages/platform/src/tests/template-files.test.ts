import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFiles } from "./template-files.js";

let directory = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mgmt-template-"));
  for (const folder of ["app", "prisma/migrations/1", "prisma/migrations/node_modules"])
    await mkdir(join(directory, folder), { recursive: true });
  for (const file of [
    "app/package-lock.json",
    "prisma/schema.prisma",
    "prisma/migrations/1/migration.sql",
    "prisma/migrations/node_modules/skipped.sql",
  ])
    await writeFile(join(directory, file), "");
});

afterEach(() => rm(directory, { recursive: true }));

describe("the files of a pattern", () => {
  const all = ["prisma/migrations/1/migration.sql", "prisma/schema.prisma"];

  it.each([
    ["prisma", all],
    ["prisma/", all],
    ["./prisma/**", all],
    ["**/*.sql", ["prisma/migrations/1/migration.sql"]],
    ["prisma/**/migration.sql", ["prisma/migrations/1/migration.sql"]],
    ["prisma/schema.?risma", ["prisma/schema.prisma"]],
    ["prisma/*", all],
    ["app/../prisma/schema.prisma", ["prisma/schema.prisma"]],
  ])("%s are %j", async (pattern, paths) => {
    expect(await listFiles(pattern, directory)).toEqual(paths.map((path) => join(directory, path)));
  });

  it.each(["missing.sql", "prisma/*.sql", "[", "prisma/schema.prisma/x", "**/*.txt"])(
    "are missing for %s, which is an error",
    async (pattern) => {
      await expect(listFiles(pattern, directory)).rejects.toMatchObject({
        code: "platform:test_files_missing",
        message: `No file matches ${JSON.stringify(pattern)} in ${directory}`,
      });
    },
  );
});
