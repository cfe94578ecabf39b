import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders } from "../../scripts/packages.mjs";

const files = allPackageFolders.flatMap((name) =>
  readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("generated"))
    .map((file) => join("packages", name, "src", file)),
);

/** The files that import each package, statically or dynamically, types included. */
const importers = new Map<string, Set<string>>();
for (const file of files) {
  for (const { fileName } of ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true)
    .importedFiles) {
    const [, name] = /^(?!node:|[.#])((?:@[^/]+\/)?[^/]+)/.exec(fileName) ?? [];
    if (name !== undefined) importers.set(name, (importers.get(name) ?? new Set()).add(file));
  }
}

it.each([
  ["openapi-fetch", "packages/sdk/src/http.ts"],
  ["@inquirer/prompts", "packages/cli/src/input/prompts.ts"],
  ["chalk", "packages/cli/src/output/style.ts"],
  ["cli-table3", "packages/cli/src/output/table-rows.ts"],
  ["open", "packages/cli/src/system/browser.ts"],
  ["conf", "packages/cli/src/profiles/update-profiles.ts"],
])("%s is imported by %s alone", (name, file) => {
  expect(importers.get(name)).toEqual(new Set([file]));
});

it.each([
  ["commander", /^packages\/cli\/src\//],
  ["msw", /^packages\/mock\/src\//],
])("%s is imported only below %s", (name, folder) => {
  const elsewhere = [...(importers.get(name) ?? [])].filter((file) => !folder.test(file));
  expect(importers.has(name)).toBe(true);
  expect(elsewhere).toEqual([]);
});

it("no other library parses, colors, asks, or draws", () => {
  const others =
    /^(@inquirer\/(?!prompts$)|inquirer$|enquirer|prompts$|kleur|picocolors|colorette|yoctocolors|ansi-|cli-table$|table$|columnify|ora$|yargs|minimist$|cac$|meow$|citty$|clipanion$)/;
  expect([...importers.keys()].filter((name) => others.test(name))).toEqual([]);
});
