import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DatabaseTestOptions, resolveDatabaseTestOptions } from "./kit-options.js";
import { computeTemplateId } from "./template-id.js";

let directory = "";

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(join(directory, path, ".."), { recursive: true });
  await writeFile(join(directory, path), text);
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mgmt-template-"));
  await write("prisma/schema.prisma", "schema");
  await write("prisma/migrations/1/migration.sql", "create table a ()");
  await write("prisma/migrations/node_modules/skipped.sql", "");
  await write("app/package-lock.json", "{}");
});

afterEach(() => rm(directory, { recursive: true }));

describe("the id of a template", () => {
  const idOf = (options: DatabaseTestOptions = {}, version = "18.4"): Promise<string> =>
    computeTemplateId(
      resolveDatabaseTestOptions({
        setup: "npm run migrate",
        files: ["prisma/**"],
        cwd: join(directory),
        ...options,
      }),
      version,
    );

  it("stays the same while nothing changes", async () => {
    expect(await idOf()).toBe(await idOf());
  });

  it.each<[string, () => Promise<string>]>([
    ["the command", () => idOf({ setup: "npm run migrate -- --seed" })],
    ["a function", () => idOf({ setup: () => "npm run migrate" })],
    ["the key", () => idOf({ key: "2" })],
    ["the files", () => idOf({ files: ["prisma/schema.prisma"] })],
    ["the version of Postgres", () => idOf({}, "18.5")],
    [
      "the content of a file",
      async () => {
        await write("prisma/migrations/1/migration.sql", "create table b ()");
        return idOf();
      },
    ],
    [
      "the name of a file",
      async () => {
        await write("prisma/migrations/2/migration.sql", "create table a ()");
        return idOf();
      },
    ],
    [
      "the lock file of a package manager",
      async () => {
        await write("pnpm-lock.yaml", "packages:");
        return idOf();
      },
    ],
  ])("changes with %s", async (_, change) => {
    const id = await idOf();
    expect(await change()).not.toBe(id);
  });

  it("does not depend on the lock file if there is no setup", async () => {
    const id = await idOf({ setup: undefined, files: [] });
    await write("yarn.lock", "");
    expect(await idOf({ setup: undefined, files: [] })).toBe(id);
  });
});
