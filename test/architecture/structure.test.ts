import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printStructure, structureOf } from "../../scripts/structure.js";

let root: string;
const write = (owner: string, files: Readonly<Record<string, string>>): string => {
  const folder = join(root, "packages", owner);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "mgmt-structure-"));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("the structure of a package", () => {
  it("counts files and lines, and generated ones apart", () => {
    const owner = write("sizes", {
      "src/index.ts": "export const one = 1;\nexport const two = 2;\n",
      "src/parts/part.ts": "export const part = 1;\n",
      "src/generated/rows.ts": "export const rows = [\n  1,\n];\n",
      "src/notes.md": "Not code.\n",
    });
    expect(structureOf(owner)).toMatchObject({ files: 2, lines: 3, generatedFiles: 1, generatedLines: 3 });
  });

  it("has an arrow for each folder that imports another, by any kind of import", () => {
    const owner = write("arrows", {
      "src/index.ts":
        'export * from "./runtime/value.js";\nexport const late = () => import("./late/part.js");\n',
      "src/runtime/value.ts":
        'import { type Shape } from "../types/shape.js";\nexport const value: Shape = 1;\n',
      "src/types/shape.ts": 'export type Shape = import("../ground/number.js").Number;\n',
      "src/late/part.ts": 'import type { Shape } from "../types/shape.js";\nexport const part: Shape = 2;\n',
      "src/ground/number.ts": 'export type Number = 1 | 2;\nexport * from "./sign.js";\n',
      "src/ground/sign.ts":
        'import "node:fs";\nimport "elsewhere";\nexport const text = \'import "../late/part.js"\';\n',
    });
    expect([...structureOf(owner).arrows.keys()].sort()).toEqual([
      "late → types",
      "runtime → types",
      "src → late",
      "src → runtime",
      "types → ground",
    ]);
  });

  it("follows a conditional import to every file that it may mean", () => {
    const owner = write("conditional", {
      "package.json": JSON.stringify({
        imports: {
          "#limit": {
            node: { import: "./dist/timers/node.js", require: "./dist/timers/node.cjs" },
            default: "./dist/plain/limit.js",
          },
        },
      }),
      "src/request/send.ts": 'export { limit } from "#limit";\n',
      "src/timers/node.ts": 'export { limit } from "../plain/limit.js";\n',
      "src/plain/limit.ts": 'import type { Send } from "../request/types.js";\nexport const limit = 1;\n',
      "src/request/types.ts": 'import "#unknown";\nexport type Send = () => void;\n',
    });
    const { arrows, twoWayPairs } = structureOf(owner);
    expect(Object.fromEntries(arrows)).toEqual({
      "request → timers": 1,
      "request → plain": 1,
      "timers → plain": 1,
      "plain → request": 1,
    });
    expect(twoWayPairs).toEqual(["plain ↔ request"]);
  });

  it("has the arrows upward of an order, and none without one", () => {
    const owner = write("order", {
      "src/high/a.ts": 'export * from "../low/b.js";\n',
      "src/low/b.ts": 'import type { c } from "../middle/c.js";\n',
      "src/middle/c.ts": 'export const c = 1;\nexport * from "../aside/d.js";\n',
      "src/aside/d.ts": 'import "../high/a.js";\n',
    });
    expect(structureOf(owner, ["high", "middle", "low"]).upward).toEqual(["low → middle"]);
    expect(structureOf(owner).upward).toBeUndefined();
  });

  it("names exported types and classes that end in World or Engine", () => {
    const owner = write("names", {
      "src/index.ts": [
        "export interface NightWorld {}",
        "export class SteamEngine {}",
        "export type Engine = 1;",
        "interface InnerWorld {}",
        "export interface Worldly {}",
        "export const buildEngine = 1;",
      ].join("\n"),
      "src/generated/world.ts": "export interface World {}\n",
    });
    expect(structureOf(owner).worldsAndEngines).toEqual(["Engine", "NightWorld", "SteamEngine"]);
  });

  it("is printed with the number of imports in each direction", () => {
    const owner = write("printed", {
      "src/one/a.ts": 'import "../two/b.js";\nimport "../two/c.js";\n',
      "src/two/b.ts": 'import "../one/a.js";\n',
      "src/two/c.ts": "export interface World {}\n",
    });
    expect(printStructure("printed", structureOf(owner, ["one", "two"]))).toBe(
      [
        "printed",
        "  files: 3, and 0 generated",
        "  lines: 4, and 0 generated",
        "  folder arrows: 2",
        "  arrows upward: 1",
        "    two → one: 1",
        "  two-way folder pairs: 1",
        "    one ↔ two: 2 one way, 1 the other",
        "  names that end in World or Engine: 1",
        "    World",
      ].join("\n"),
    );
  });
});
