import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

it.each(allPackageFolders)("finds no test of %s in a folder that its sources do not have", (name) => {
  const [tests, sources] = [join(root, "packages", name, "test"), join(root, "packages", name, "src")];
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" });
  const folders = new Set(files.filter((file) => file.endsWith(".test.ts")).map(dirname));
  expect([...folders].filter((folder) => !existsSync(join(sources, folder)))).toEqual([]);
});
