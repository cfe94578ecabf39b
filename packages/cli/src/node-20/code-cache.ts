import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import type { Module } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { cacheFolder, isOwnFolder, readOwn, writeWhole } from "../files/own-cache.js";

/** The files that the build has written. */
export interface BuildFiles {
  /** Their folder, or the standalone program that contains them. */
  readonly path: string;
  /** Returns the text of a file. Throws if there is none. */
  read(name: string): string;
}

interface Loaded {
  readonly module: { exports: object };
  /** Absent for a file whose code is not stored. */
  readonly compiled?: {
    readonly script: Script;
    /** Whether V8 used the stored code. */
    readonly isCached: boolean;
  };
}

/** What Node.js passes to the function that it wraps around a CommonJS module. */
type ModuleFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

/**
 * Loads files of the build as `require` does, with the code that V8 compiled for them in an earlier run, which takes a third
 * off the start of a command. Newer versions of Node.js have `module.enableCompileCache` for it.
 */
export class CodeCache {
  private readonly loaded = new Map<string, Loaded>();

  /**
   * @param files The files of the build.
   * @param stored Folder of the compiled code, or undefined to store none. Belongs to this build at this path and this version
   *   of Node.js, because V8 does not notice other code of the same length.
   * @param require Loads everything that is not a file of the build.
   */
  constructor(
    private readonly files: BuildFiles,
    private readonly stored: string | undefined,
    private readonly require: NodeJS.Require,
  ) {}

  /** Returns the exports of a file. */
  load(name: string): object {
    const known = this.loaded.get(name);
    if (known) return known.module.exports;
    const filename = join(this.files.path, name);
    const source = this.files.read(name);
    const require = (id: string): unknown =>
      id.startsWith("./") ? this.load(basename(id)) : this.require(id);
    const cachedData = this.stored === undefined ? undefined : readOwn(join(this.stored, name));
    // On Node.js 20, functions of stored code cannot call `import()`, so the code of such a file is never stored.
    if (!cachedData && source.includes("import(")) return this.compile(name, source, require);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename,
      ...(cachedData && { cachedData }),
    });
    const module = { exports: {} };
    this.loaded.set(name, { module, compiled: { script, isCached: script.cachedDataRejected === false } });
    // The script consists of this function.
    const run = script.runInThisContext() as ModuleFunction;
    run.call(module.exports, module.exports, require, module, filename, this.files.path);
    return module.exports;
  }

  /** Loads a file without stored code, as Node.js does. The `import()` of a `Script` prints a warning. */
  private compile(name: string, source: string, require: (id: string) => unknown): object {
    const filename = join(this.files.path, name);
    // Loaded here, because it takes longer to load than the file, and most runs have stored code.
    const modules = this.require("node:module") as typeof import("node:module");
    // The method that Node.js itself calls for a CommonJS module is not in its types.
    const module = new modules.Module(filename) as Module & {
      _compile(source: string, filename: string): void;
    };
    const exports: object = module.exports;
    this.loaded.set(name, { module: { exports } });
    Object.assign(module, { filename, require });
    module._compile(source, filename);
    return exports;
  }

  /**
   * Stores the compiled code of all files if there was none for one of them: a command that loads another file also compiles
   * other functions of the files that all commands load. Does nothing if the folder cannot be written, or if another user could
   * have put a link in its place.
   */
  store(): void {
    if (this.stored === undefined) return;
    if ([...this.loaded.values()].every(({ compiled }) => compiled?.isCached ?? true)) return;
    try {
      if (!isOwnFolder(this.stored)) return;
      mkdirSync(this.stored, { recursive: true, mode: 0o700 });
      for (const [name, { compiled }] of this.loaded)
        if (compiled) writeWhole(join(this.stored, name), compiled.script.createCachedData());
      removeOld(dirname(this.stored));
    } catch {
      // The next run compiles the files again.
    }
  }
}

/**
 * Returns the folder for the compiled code of a build, among what the user's programs store to be faster. Copies of the build do
 * not share it: one of them may have been changed, and stored code contains the path of its file.
 */
export const codeCacheFolder = (
  build: string,
  { path }: Pick<BuildFiles, "path">,
  env: NodeJS.ProcessEnv,
): string => {
  const { version, arch } = process;
  // node:crypto, which could hash the path, takes longer to load than it saves here.
  const { dev, ino } = statSync(path);
  return join(cacheFolder(env), "code", `${build}-${version}-${arch}-${dev}-${ino}`);
};

const oldMs = 30 * 86_400_000;

/** Removes the code of builds that is a month old. One that is still used is stored again. */
const removeOld = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > oldMs) rmSync(path, { recursive: true, force: true });
  }
};
