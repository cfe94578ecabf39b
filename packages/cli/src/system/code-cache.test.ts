import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CodeCache, createCacheName } from "./code-cache.js";
import { temporaryFolder } from "../../test/folders.js";

const folder = temporaryFolder();
let tests = 0;
let build: string;
let stored: string;
beforeEach(() => {
  const own = join(folder, String((tests += 1)));
  [build, stored] = [join(own, "build"), join(own, "code/this")];
  mkdirSync(build, { recursive: true });
});

const write = (name: string, code: string): void => writeFileSync(join(build, name), code);

/** Does what a run of the command does. */
const run = (name = "main.js"): unknown => {
  const require = createRequire(join(build, "mgmt.js"));
  for (const file of Object.keys(require.cache)) if (file.startsWith(build)) delete require.cache[file];
  const cache = new CodeCache(build, stored, require);
  const exports = { ...cache.load(name) };
  cache.store();
  return exports;
};

describe("the code of a file of the build", () => {
  it("is loaded as require does, with the files that it requires", () => {
    write(
      "main.js",
      `"use strict"; const { join } = require("node:path"); const other = require("./other.js");
      exports.value = [join("a", "b"), other.value, __filename, __dirname, this === exports, module.exports === exports];`,
    );
    write("other.js", `exports.value = require("./main.js").value ?? "early";`);
    const value = [join("a", "b"), "early", join(build, "main.js"), build, true, true];
    expect(run()).toEqual({ value });
    expect(run()).toEqual({ value });
    expect(readdirSync(stored).sort()).toEqual(["main.js", "other.js"]);
  });

  it("is stored, and used by the next run", () => {
    write("main.js", "exports.value = 1;");
    expect(run()).toEqual({ value: 1 });
    // The code for another file of the same length, which V8 does not notice.
    const [one, two] = ["exports.value = 1;", "exports.value = 2;"];
    const code = readFileSync(join(stored, "main.js")).subarray(one.length);
    writeFileSync(join(stored, "main.js"), Buffer.concat([Buffer.from(two), code]));
    write("main.js", two);
    expect(run()).toEqual({ value: 1 });
  });

  it("is compiled again when the file has changed, also if its length is the same", () => {
    for (const value of [1, 2, 10]) {
      write("main.js", `exports.value = ${String(value)};`);
      expect(run()).toEqual({ value });
    }
  });

  it("is stored again when a run has loaded another file", () => {
    write("main.js", "exports.load = () => require('./other.js');");
    write("other.js", "exports.value = 1;");
    run();
    expect(readdirSync(stored)).toEqual(["main.js"]);
    run("other.js");
    expect(readdirSync(stored).sort()).toEqual(["main.js", "other.js"]);
  });

  it("is compiled again when what is stored is damaged", () => {
    write("main.js", "exports.value = 1;");
    run();
    const whole = readFileSync(join(stored, "main.js"));
    const flipped = Buffer.from(whole);
    flipped[60] = ~(flipped[60] ?? 0) & 0xff;
    const damaged = ["", "not code", whole.subarray(0, 100), flipped];
    for (const [value, damage] of damaged.entries()) {
      writeFileSync(join(stored, "main.js"), damage);
      // V8 keeps the code of a source that it has compiled in this process.
      write("main.js", `exports.value = ${String(value)}; `);
      expect(run()).toEqual({ value });
      expect(readFileSync(join(stored, "main.js")).length).toBeGreaterThan(100);
    }
  });

  it.skipIf(process.platform === "win32")(
    "is compiled again when others can have written what is stored",
    () => {
      write("main.js", "exports.value = 1;");
      run();
      write("main.js", "exports.value = 2;");
      chmodSync(join(stored, "main.js"), 0o666);
      expect(run()).toEqual({ value: 2 });
    },
  );

  it("is loaded by Node.js itself if it calls import(), and shares its modules", async () => {
    write("main.js", "exports.state = {}; exports.other = require('./other.js');");
    write(
      "other.js",
      "exports.state = require('./main.js').state; exports.load = () => import('node:path');",
    );
    for (let index = 0; index < 2; index += 1) {
      const { state, other } = run() as { state: object; other: { state: object; load(): Promise<object> } };
      expect(other.state).toBe(state);
      expect(await other.load()).toHaveProperty("join");
    }
    expect(readdirSync(stored)).toEqual(["main.js"]);
  });

  it("is loaded where nothing can be stored", () => {
    writeFileSync(join(build, "../code"), "a file");
    write("main.js", "exports.value = 1;");
    expect(run()).toEqual({ value: 1 });
  });

  it.skipIf(process.platform === "win32")("leaves nothing behind that could not be written", () => {
    write("main.js", "exports.value = 1;");
    mkdirSync(join(stored, "main.js"), { recursive: true });
    expect(run()).toEqual({ value: 1 });
    expect(readdirSync(stored)).toEqual(["main.js"]);
  });

  it.skipIf(process.platform === "win32")("is not stored in a folder that others can write", () => {
    write("main.js", "exports.value = 1;");
    mkdirSync(stored, { recursive: true });
    for (const open of [stored, join(stored, "..")]) {
      chmodSync(open, 0o777);
      run();
      expect(readdirSync(stored)).toEqual([]);
      chmodSync(open, 0o700);
    }
  });

  it("throws its own error", () => {
    write("main.js", "throw new Error('broken');");
    expect(() => run()).toThrow("broken");
  });
});

describe("the folder of compiled code", () => {
  it("is another one for another version, build or time of the build", () => {
    write("main.js", "exports.value = 1;");
    const name = createCacheName(build, "1.0.0");
    expect(createCacheName(build, "1.0.0")).toBe(name);
    const names = [name, createCacheName(build, "1.0.1")];
    write("main.js", "exports.value = 10;");
    names.push(createCacheName(build, "1.0.0"));
    utimesSync(join(build, "main.js"), 1, 1);
    names.push(createCacheName(build, "1.0.0"));
    expect(new Set(names).size).toBe(4);
  });

  it("loses the code of builds that nobody has used for a month", () => {
    const [old, recent] = [join(stored, "../old"), join(stored, "../recent")];
    for (const other of [old, recent]) mkdirSync(other, { recursive: true });
    const days = Date.now() / 1_000 - 31 * 86_400;
    utimesSync(old, days, days);
    write("main.js", "exports.value = 1;");
    run();
    expect([old, recent, stored].map((each) => existsSync(each))).toEqual([false, true, true]);
  });

  it("keeps the code of the last five builds", () => {
    for (let index = 0; index < 7; index += 1) {
      const other = join(stored, `../${String(index)}`);
      mkdirSync(other, { recursive: true });
      utimesSync(other, Date.now() / 1_000 - 60 * index, Date.now() / 1_000 - 60 * index);
    }
    write("main.js", "exports.value = 1;");
    run();
    expect(readdirSync(join(stored, "..")).sort()).toEqual(["0", "1", "2", "3", "this"]);
  });
});
