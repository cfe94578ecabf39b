import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { enableCodeCaching } from "./enable-code-caching.js";
import { ensureBuilt } from "../../test/bin.js";
import { temporaryFolder } from "../../test/folders.js";
import { untilUnused } from "../../test/home-folders.js";
import { inPty } from "../../test/pty.js";
import { run } from "../../test/terminal.js";

const folder = temporaryFolder();
let tests = 0;
let home: string;
beforeAll(ensureBuilt);
beforeEach(() => {
  home = join(folder, String((tests += 1)));
  mkdirSync(home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await untilUnused(home);
});

const code = (): string => join(home, ".cache/mgmt/code");

/** Returns the folders that Node.js 22.8 or newer is asked to keep compiled code in, of which this machine may have none. */
const enabledWith = (env: NodeJS.ProcessEnv = {}): unknown[] => {
  const enableCompileCache = vi.fn<(folder: string) => void>();
  keepWith({ enableCompileCache }, env);
  return enableCompileCache.mock.calls.flat();
};

/** Does what a command does at its start, with another `node:module`. */
const keepWith = (modules: object, env: NodeJS.ProcessEnv): string | undefined => {
  const load: (id: string) => object = process.getBuiltinModule.bind(process);
  const spy = vi
    .spyOn(process, "getBuiltinModule")
    .mockImplementation((id: string) => (id === "node:module" ? modules : load(id)));
  vi.stubEnv("HOME", env["HOME"] ?? home);
  const folder = enableCodeCaching(env);
  spy.mockRestore();
  return folder;
};

describe.skipIf(process.platform !== "linux")("compiled code", () => {
  it("is kept in a folder of the user alone", () => {
    expect(enabledWith()).toEqual([code()]);
    expect(statSync(code()).mode & 0o777).toBe(0o700);
    expect(enabledWith()).toEqual([code()]);
    const caches = join(home, "caches");
    expect(enabledWith({ XDG_CACHE_HOME: caches })).toEqual([join(caches, "mgmt/code")]);
  });

  it("is not kept in a folder that others can write", () => {
    mkdirSync(code(), { recursive: true, mode: 0o700 });
    expect(enabledWith()).toEqual([code()]);
    chmodSync(code(), 0o777);
    expect(enabledWith()).toEqual([]);
  });

  it("is not kept where nothing can be written", () => {
    writeFileSync(join(home, ".cache"), "");
    expect(enabledWith()).toEqual([]);
  });

  it("is kept by the built command, but not by one that prints a fixed text", async () => {
    const env = { HOME: home, XDG_CACHE_HOME: undefined };
    expect((await run(["--version"], { env })).status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
    const help = await run(["help", "output"], { env });
    expect(help).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("--output FORMAT") });
    expect((await run(["help", "output"], { env })).stdout).toBe(help.stdout);
    expect(readdirSync(home, { recursive: true }).length).toBeGreaterThan(3);
  });

  it("is kept by the command itself where Node.js cannot", () => {
    expect(keepWith({}, {})).toBe(code());
    expect(keepWith({ enableCompileCache: () => undefined }, {})).toBeUndefined();
  });

  it("is not kept with NODE_DISABLE_COMPILE_CACHE", () => {
    const env = { NODE_DISABLE_COMPILE_CACHE: "1" };
    expect([enabledWith(env), keepWith({}, env)]).toEqual([[], undefined]);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("a folder for caches whose path is not absolute", () => {
  const environments: [string, NodeJS.ProcessEnv][] = [
    ["a relative XDG_CACHE_HOME", { XDG_CACHE_HOME: "here" }],
    ["an empty XDG_CACHE_HOME", { XDG_CACHE_HOME: "" }],
  ];
  it.each(environments)("is not created in the working directory: %s", async (_, env) => {
    const config = { MGMT_CONFIG_DIR: join(folder, "config"), MGMT_NO_UPDATE_NOTIFIER: "" };
    const line = ["help", "output"];
    const cwd = join(home, "here");
    mkdirSync(cwd);
    expect(await run(line, { env: { HOME: home, ...config, ...env }, cwd })).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect((await inPty(line, [], { HOME: home, ...config, ...env }, undefined, cwd)).status).toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
