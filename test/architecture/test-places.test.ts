import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

/** A package whose tests all stand beside its sources has no folder of tests. */
const listFiles = (name: string, folder: "src" | "test"): string[] => {
  const path = join(root, "packages", name, folder);
  return existsSync(path) ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
};

it.each(allPackageFolders)(
  "finds each test among the sources of %s beside the source of its name",
  (name) => {
    const files = listFiles(name, "src");
    const tests = files.filter((file) => file.endsWith(".test.ts"));
    const sources = new Set(files);
    expect(
      tests.filter((test) => !sources.has(test.replace(/(?:\.(?:process|postgres))?\.test\.ts$/, ".ts"))),
    ).toEqual([]);
  },
);

it.each(allPackageFolders)("finds no test of %s in a folder that its sources do not have", (name) => {
  const tests = listFiles(name, "test").filter((file) => file.endsWith(".test.ts"));
  const folders = new Set(tests.map(dirname));
  expect([...folders].filter((folder) => !existsSync(join(root, "packages", name, "src", folder)))).toEqual(
    [],
  );
});
