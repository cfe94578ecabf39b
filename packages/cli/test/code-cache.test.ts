import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "./bin.js";
import { temporaryFolder } from "./folders.js";
import { run } from "./terminal.js";

const folder = temporaryFolder();
let tests = 0;
let home: string;
beforeAll(ensureBuilt);
beforeEach(() => {
  home = join(folder, String((tests += 1)));
  mkdirSync(home);
});

/** Runs a command that needs no service. */
const runTopic = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
  const result = await run(["help", "output"], { env: { HOME: home, XDG_CACHE_HOME: undefined, ...env } });
  expect(result).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("--output FORMAT") });
};

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

const storedMain = (): string => filesIn(home).find((file) => file.endsWith("main.js")) ?? "";

describe("compiled code", () => {
  it("is stored by the first run, for the user only, and used by the next one", async () => {
    await runTopic();
    const files = filesIn(home);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
    const { ino } = statSync(storedMain());
    await runTopic();
    expect(filesIn(home)).toEqual(files);
    expect(statSync(storedMain()).ino).toBe(ino);
  });

  it.each([
    ["is empty", () => Buffer.alloc(0)],
    ["is cut off", (data: Buffer) => data.subarray(0, data.length / 2)],
    ["contains something else", (data: Buffer) => Buffer.alloc(data.length, "x")],
    ["has lost a part", (data: Buffer) => Buffer.concat([Buffer.alloc(4_096), data.subarray(4_096)])],
  ])("is replaced if it %s", async (_, damage) => {
    await runTopic();
    const file = storedMain();
    writeFileSync(file, damage(readFileSync(file)));
    const damaged = statSync(file).ino;
    await runTopic();
    const { ino } = statSync(file);
    expect(ino).not.toBe(damaged);
    await runTopic();
    expect(statSync(file).ino).toBe(ino);
  });

  it.skipIf(process.platform === "win32")("is not used if other users can write it", async () => {
    await runTopic();
    const file = storedMain();
    chmodSync(file, 0o666);
    await runTopic();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is not stored where nothing can be written", async () => {
    const file = join(home, "file");
    writeFileSync(file, "");
    await runTopic({ HOME: file, XDG_CACHE_HOME: join(file, "cache") });
    expect(filesIn(home)).toEqual([file]);
  });

  it("is not stored with NODE_DISABLE_COMPILE_CACHE, nor by --version", async () => {
    await runTopic({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect((await run(["--version"], { env: { HOME: home, XDG_CACHE_HOME: undefined } })).status).toBe(0);
    expect(filesIn(home)).toEqual([]);
  });

  it("is not shared with a copy of the command at another path, which may have been changed", async () => {
    await runTopic();
    const copy = join(home, "copy");
    cpSync(dirname(bin), copy, { recursive: true });
    for (const file of filesIn(copy).filter((each) => each.endsWith(".js"))) {
      const text = readFileSync(file, "utf8");
      // Of the same length, which is all that V8 compares.
      if (text.includes("--output FORMAT"))
        writeFileSync(file, text.replaceAll("--output FORMAT", "--output PATCHD"));
    }
    const env = { HOME: home, PATH: process.env["PATH"] };
    const help = promisify(execFile)(process.execPath, [join(copy, "mgmt.js"), "help", "output"], { env });
    expect((await help).stdout).toContain("--output PATCHD");
    await runTopic();
  });

  it("is removed when it is a month old", async () => {
    await runTopic();
    const builds = dirname(dirname(storedMain()));
    const [old, recent] = [join(builds, "old"), join(builds, "recent")];
    for (const path of [old, recent]) mkdirSync(path);
    utimesSync(old, 0, 0);
    writeFileSync(storedMain(), "");
    await runTopic();
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });
});
