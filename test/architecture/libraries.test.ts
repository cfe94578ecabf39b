import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { allPackageFolders, packageFolders } from "../../scripts/packages.mjs";

/** Returns the TypeScript files in a folder, without those that are generated or that tests write into hidden folders. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|\/)(generated|node_modules|\.[^/]+)\//.test(file))
    .map((file) => join(folder, file));

const sources = [...allPackageFolders.map((name) => `packages/${name}/src`), "scripts"].flatMap(filesIn);
const configurations = readdirSync(root).filter((file) => file.endsWith(".config.ts"));

/** Returns the name of the package that a module belongs to, or undefined for a file or a module of Node.js. */
const packageOf = (module: string): string | undefined =>
  /^(?!node:|[.#])((?:@[^/]+\/)?[^/]+)/.exec(module)?.[1];

/** Returns the packages that a file imports, statically or dynamically, types included. */
const packagesIn = (file: string): (string | undefined)[] =>
  ts
    .preProcessFile(readFileSync(join(root, file), "utf8"), true, true)
    .importedFiles.map(({ fileName }) => packageOf(fileName));

const imports = new Map([...sources, ...configurations].map((file) => [file, packagesIn(file)]));
const importersOf = (name: string): string[] =>
  [...imports].filter(([, packages]) => packages.includes(name)).map(([file]) => file);

describe("a library is imported where it belongs, and only there", () => {
  it.each([
    ["openapi-typescript", "writes the types of the contract", ["scripts/generate/sdk/schema.ts"]],
    ["openapi-fetch", "sends typed requests for users of the SDK", ["packages/sdk/src/http.ts"]],
    ["@inquirer/prompts", "asks", ["packages/cli/src/input/prompts.ts"]],
    ["chalk", "colors", ["packages/cli/src/output/style.ts"]],
    ["cli-table3", "draws tables", ["packages/cli/src/output/draw-rows.ts"]],
    ["open", "opens the browser", ["packages/cli/src/system/browser.ts"]],
    ["conf", "stores profiles", ["packages/cli/src/profiles/update-profiles.ts"]],
    ["tsup", "builds the packages", ["tsup.config.ts"]],
  ])("%s %s", (name, _what, files) => {
    expect(importersOf(name)).toEqual(expect.arrayContaining(files));
    const elsewhere = importersOf(name).filter(
      (file) => !files.includes(file) && !file.startsWith("scripts/"),
    );
    expect(elsewhere).toEqual([]);
  });

  it("commander parses every command line of mgmt", () => {
    expect(importersOf("commander")).toContain("packages/cli/src/command-line/command.ts");
    expect(importersOf("commander").filter((file) => !file.startsWith("packages/cli/src/"))).toEqual([]);
    const rivals = ["yargs", "minimist", "cac", "meow", "citty", "clipanion"];
    expect(rivals.flatMap(importersOf)).toEqual([]);
  });

  it("msw intercepts the requests of programs that use the mock", () => {
    expect(importersOf("msw")).toContain("packages/mock/src/interception/msw.ts");
    expect(importersOf("msw").filter((file) => !file.startsWith("packages/mock/src/"))).toEqual([]);
  });

  it("vitest runs every test, and the mock extends it", () => {
    expect(importersOf("vitest")).toEqual(
      expect.arrayContaining(["packages/mock/src/vitest.ts", "vitest.config.ts"]),
    );
    const tests = [...packageFolders.map((name) => `packages/${name}/test`), "test"]
      .flatMap(filesIn)
      .filter((file) => file.endsWith(".test.ts"));
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter((file) => !packagesIn(file).includes("vitest"))).toEqual([]);
  });

  it("no other package, and none of their parts, colors, asks, or draws", () => {
    const others =
      /^(@inquirer\/(?!prompts$)|inquirer$|enquirer|prompts$|kleur|picocolors|colorette|yoctocolors|ansi-|cli-table$|table$|columnify|ora$)/;
    const found = [...imports].flatMap(([file, packages]) =>
      packages.filter((name) => name !== undefined && others.test(name)).map((name) => ({ file, name })),
    );
    expect(found).toEqual([]);
  });
});
