import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { MgmtCommand } from "../src/command-line/command.js";
import { bin, ensureBuilt } from "./bin.js";
import { temporaryFolder } from "./folders.js";
import { undefinedCommands } from "./program.js";
import { run, type Session, startSession } from "./terminal.js";

interface Loaded {
  /** Files of the build. */
  readonly files: readonly string[];
  /** Modules of Node.js, also its internal ones, that were loaded by the command. */
  readonly modules: readonly string[];
}

const folder = temporaryFolder();
const recorder = join(folder, "recorder.cjs");
const record = join(folder, "record.json");
let session: Session;
beforeAll(async () => {
  await ensureBuilt();
  session = await startSession();
  await session.server.engine.seed.project();
  writeFileSync(
    recorder,
    `const fs = require("node:fs");
     const { basename } = require("node:path");
     const { readFileSync } = fs;
     const files = [];
     fs.readFileSync = (file, ...options) => {
       if (String(file).startsWith(process.env.BUILD)) files.push(basename(file));
       return readFileSync(file, ...options);
     };
     const before = new Set(process.moduleLoadList);
     process.on("exit", () => {
       const modules = process.moduleLoadList.filter((name) => !before.has(name));
       fs.writeFileSync(process.env.RECORD, JSON.stringify({ files, modules }));
     });`,
  );
});
afterAll(() => session.close());

const mainCode = (): string => readFileSync(join(dirname(bin), "main.js"), "utf8");

/** Returns the regular expressions that code makes outside of functions. */
const patternsMadeBy = (code: string): string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    if (ts.isNewExpression(node) && node.expression.getText(file) === "RegExp")
      found.push(node.getText(file));
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile("main.js", code, ts.ScriptTarget.Latest);
  visit(file);
  return found;
};

const loadedBy = async (words: readonly string[]): Promise<Loaded> => {
  const result = await run(words, {
    env: {
      ...session.env,
      XDG_CACHE_HOME: join(folder, "cache"),
      NODE_OPTIONS: `--require=${JSON.stringify(recorder)}`,
      BUILD: dirname(bin),
      RECORD: record,
    },
  });
  expect(result).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(readFileSync(record, "utf8")) as Loaded;
};

describe("the start of a command", () => {
  it("loads one file for a fixed text", async () => {
    for (const flag of ["--version", "--help"]) expect((await loadedBy([flag])).files).toEqual(["mgmt.js"]);
  });

  it("loads three files for a list", async () => {
    const { files } = await loadedBy(["projects", "list", "--output", "json"]);
    expect(files).toEqual(["mgmt.js", "main.js", expect.stringMatching(/^projects-\w+\.js$/)]);
  });

  it("has exactly the files that others of them load", () => {
    const files = readdirSync(dirname(bin)).filter((name) => name.endsWith(".js"));
    const required = files.flatMap((name) => {
      const code = readFileSync(join(dirname(bin), name), "utf8");
      return [...code.matchAll(/\brequire\("\.\/([^"]+)"\)/g)].map(([, target]) => target);
    });
    expect(required.length).toBeGreaterThan(files.length);
    expect([...new Set(required), "mgmt.js"].sort()).toEqual(files.sort());
  });

  it("loads no module of Node.js that a list does not need", async () => {
    const { modules } = await loadedBy(["projects", "list", "--output", "json"]);
    expect(modules).toContain("NativeModule http");
    const unused = [
      "os",
      "perf_hooks",
      "child_process",
      "crypto",
      "https",
      "readline",
      "internal/fs/promises",
    ];
    expect(modules.filter((name) => unused.includes(name.replace("NativeModule ", "")))).toEqual([]);
  });

  it("loads little code, and none that only --debug needs", () => {
    const code = mainCode();
    expect(code).not.toContain("[redacted]");
    // Each kilobyte takes 15 microseconds to read, to compile or to load from the cache, and to run.
    expect(code.length).toBeLessThan(180_000);
  });

  it("reads no Unicode properties, which takes V8 up to a millisecond", () => {
    expect(patternsMadeBy("const made = /\\p{L}/u; const later = () => /\\p{M}/u;")).toEqual(["/\\p{L}/u"]);
    expect(patternsMadeBy(mainCode()).filter((pattern) => /\\p\{/i.test(pattern))).toEqual([]);
  });

  it("makes only the commands that the line calls", async () => {
    const { id } = await session.server.engine.seed.project();
    const create = vi.spyOn(MgmtCommand.prototype, "createCommand");
    await session.mgmt`projects list --output json`;
    await session.mgmt`projects branches list ${id}`;
    const names = create.mock.calls.map(([name]) => name);
    create.mockRestore();
    expect(names).toEqual(["projects", "list", "projects", "branches", "list"]);
  });

  it("makes the options of a group when the group is called", async () => {
    const program = undefinedCommands();
    for (const name of ["projects", "auth"]) {
      const group = program.subcommand(name);
      expect(group?.options).toEqual([]);
      await group?.define();
      expect(group?.options.map(({ long }) => long)).toContain("--output");
    }
  });
});
