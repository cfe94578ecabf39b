import { describe, expect, it } from "vitest";
import { readmeProgram } from "../../../site/.vitepress/theme/try-it.data.mjs";
import { readProgram } from "../../../site/try-it/page/imports.js";
import { otherPrograms } from "../../../site/try-it/page/programs.js";

const namesIn = (source: string): unknown => {
  const read = readProgram(source);
  return "source" in read ? read.imports.map(({ name, from, to }) => [name, source.slice(from, to)]) : read;
};

describe("the imports of a program", () => {
  it("are found in the program of the README, and in the others of the page", () => {
    const expected = ["@mgmt/sdk", "@mgmt/sdk/auth/node"].map((name) => [name, `"${name}"`]);
    for (const source of [readmeProgram(), ...Object.values(otherPrograms)])
      expect(namesIn(source)).toEqual(expected);
  });

  it.each([
    ["import type of quotes", "import { a } from '@mgmt/sdk';"],
    ["import for effects", 'import "@mgmt/sdk";'],
    ["export", 'export * from "@mgmt/sdk";'],
    ["import()", 'const sdk = await import("@mgmt/sdk");'],
  ])("are found in an %s", (_what, source) => {
    expect(namesIn(source)).toEqual([["@mgmt/sdk", source.match(/["'].*["']/)?.[0]]]);
  });

  it.each([
    "console.log(\"import x from 'fs'\");",
    '// import "fs"',
    'export default "fs";',
    'load("fs");',
    "import(name);",
  ])("are not other strings: %s", (source) => expect(namesIn(source)).toEqual([]));

  it.each(["node:fs", "lodash", "./other.js", "https://example.com/module.js", "@mgmt/sdk/other"])(
    "say which module this page lacks, and in which line: %s",
    (name) => {
      expect(namesIn(`\nimport x from "${name}";\n`)).toMatchObject({
        code: "try-it:unknown_module",
        message: expect.stringContaining(JSON.stringify(name)),
        hint: expect.stringContaining("@mgmt/sdk or @mgmt/sdk/auth/node"),
        line: 2,
      });
    },
  );

  it("are found in a program with a mistake, whose line is found, too", () => {
    const source = 'import { a } from "@mgmt/sdk";\nconst = ;';
    expect(namesIn(source)).toEqual([["@mgmt/sdk", '"@mgmt/sdk"']]);
    expect(readProgram(source)).toMatchObject({ mistakeAt: 2 });
  });
});
