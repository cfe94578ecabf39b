import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sizeOf } from "../../scripts/size.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "mgmt-size-"));
  execFileSync("git", ["init", "--quiet"], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true }));

const write = (name: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, "packages", name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
};

it("counts the files and lines of code, without generated files", () => {
  write("shop", {
    "src/index.ts": "export interface Shop {}\nexport const two = 2;\n",
    "src/parts/part.mts": "export class SteamEngine {}\n",
    "src/generated/rows.ts": "export interface RowEngine {}\n",
    "src/notes.md": "Not code.\n",
    "src/index.test.ts": "1;\n",
    "test/shop.test.ts": "1;\n\n2;\n",
  });
  expect(sizeOf(root, "shop")).toEqual({
    files: 2,
    source: 3,
    tests: 4,
    longSources: 0,
    untested: [],
    upward: "",
    "two-way": "",
  });
});

it("names the long sources without a test of their name", () => {
  const long = "1;\n".repeat(61);
  write("tests", {
    "src/plain.ts": long,
    "src/plain.test.ts": "1;\n",
    "src/built.ts": long,
    "src/built.process.test.ts": "1;\n",
    "src/parts/stored.ts": long,
    "test/parts/stored.postgres.test.ts": "1;\n",
    "src/short.ts": "1;\n".repeat(60),
    "src/untested.ts": long,
  });
  expect(sizeOf(root, "tests")).toMatchObject({
    longSources: 4,
    untested: ["packages/tests/src/untested.ts"],
  });
});

it("names folders that import each other or a higher one, by any kind of import", () => {
  write("arrows", {
    "package.json": JSON.stringify({ imports: { "#limit": { default: "./dist/plain/limit.js" } } }),
    "src/high/a.ts": 'export const late = () => import("../low/b.js");\n',
    "src/low/b.ts": 'import type { c } from "../middle/c.js";\nexport { limit } from "#limit";\n',
    "src/middle/c.ts": 'export const c = 1;\nexport * from "../aside/d.js";\n',
    "src/aside/d.ts": 'import "../high/a.js";\n',
    "src/plain/limit.ts": 'export type Low = import("../low/b.js").Low;\n',
  });
  expect(sizeOf(root, "arrows", ["high", "middle", "low"])).toMatchObject({
    upward: "low → middle",
    "two-way": "low ↔ plain",
  });
  expect(sizeOf(root, "arrows").upward).toBe("");
});
