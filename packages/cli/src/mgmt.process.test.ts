import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../test/bin.js";
import { temporaryFolder } from "../test/folders.js";
import { run, useSession } from "../test/terminal.js";

const build = dirname(bin);
const folder = temporaryFolder();
const recorder = join(folder, "recorder.cjs");
const record = join(folder, "record.json");
const session = useSession();
beforeAll(async () => {
  await ensureBuilt();
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
     process.on("exit", () => fs.writeFileSync(process.env.RECORD, JSON.stringify(files)));`,
  );
});

/** Returns the files of the build that a command reads. */
const filesOf = async (...words: string[]): Promise<string[]> => {
  const result = await run(words, {
    env: {
      ...session.env,
      XDG_CACHE_HOME: join(folder, "cache"),
      NODE_OPTIONS: `--require=${JSON.stringify(recorder)}`,
      BUILD: build,
      RECORD: record,
    },
  });
  expect(result).toMatchObject({ status: 0, stderr: "" });
  return JSON.parse(readFileSync(record, "utf8"));
};

/** How long a start takes is measured by `npm run bench -- cli`. */
describe("the start of a command", () => {
  it("loads one file for a fixed text, and three for a list, with at most 192 KB for all commands", async () => {
    expect(await filesOf("--version")).toEqual(["mgmt.js"]);
    expect(await filesOf("--help")).toEqual(["mgmt.js"]);
    expect(await filesOf("projects", "list", "--output", "json")).toEqual([
      "mgmt.js",
      "main.js",
      expect.stringMatching(/^projects-\w+\.js$/),
    ]);
    expect(readFileSync(join(build, "main.js"), "utf8").length).toBeLessThan(192_000);
  });

  it("has exactly the files that others of them load", () => {
    const files = readdirSync(build).filter((name) => name.endsWith(".js"));
    const required = files.flatMap((name) =>
      [...readFileSync(join(build, name), "utf8").matchAll(/\brequire\("\.\/([^"]+)"\)/g)].map(
        ([, target]) => target,
      ),
    );
    expect(required.length).toBeGreaterThan(files.length);
    expect([...new Set(required), "mgmt.js"].sort()).toEqual(files.sort());
  });
});
