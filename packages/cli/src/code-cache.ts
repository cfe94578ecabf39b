import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Module } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

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
 * off the start of a command. Newer versions of Node.js have `module.enableCompileCache` for it; 20 has not.
 */
export class CodeCache {
  private readonly loaded = new Map<string, Loaded>();

  /**
   * @param files Folder of the build.
   * @param stored Folder of the compiled code. Belongs to this build and this version of Node.js, because V8 does not notice
   *   other code of the same length.
   * @param require Loads everything that is not a file of the build.
   */
  constructor(
    private readonly files: string,
    private readonly stored: string,
    private readonly require: NodeJS.Require,
  ) {}

  /** Returns the exports of a file. */
  load(name: string): object {
    const known = this.loaded.get(name);
    if (known) return known.module.exports;
    const filename = join(this.files, name);
    const source = readFileSync(filename, "utf8");
    const require = (id: string): unknown =>
      id.startsWith("./") ? this.load(basename(id)) : this.require(id);
    // On Node.js 20, functions of stored code cannot call `import()`.
    if (source.includes("import(")) return this.compile(name, source, require);
    const cachedData = readOwn(join(this.stored, name));
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename,
      ...(cachedData && { cachedData }),
    });
    const module = { exports: {} };
    this.loaded.set(name, { module, compiled: { script, isCached: script.cachedDataRejected === false } });
    // The script consists of this function.
    const run = script.runInThisContext() as ModuleFunction;
    run.call(module.exports, module.exports, require, module, filename, this.files);
    return module.exports;
  }

  /** Loads a file without stored code, as Node.js does. The `import()` of a `Script` prints a warning. */
  private compile(name: string, source: string, require: (id: string) => unknown): object {
    const filename = join(this.files, name);
    // The method that Node.js itself calls for a CommonJS module is not in its types.
    const module = new Module(filename) as Module & { _compile(source: string, filename: string): void };
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

/** Returns the folder for the compiled code of a build, among what the user's programs store to be faster. */
export const codeCacheFolder = (build: string, env: NodeJS.ProcessEnv): string => {
  const { version, arch } = process;
  return join(userCaches(env), "mgmt", "code", `${build}-${version}-${arch}`);
};

const userCaches = (env: NodeJS.ProcessEnv): string => {
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  if (process.platform === "win32") return env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  return env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
};

/** Reads a file unless other users can have written it: with `sudo`, the home directory may be that of another user. */
const readOwn = (file: string): Buffer | undefined => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const { uid, mode } = fstatSync(descriptor);
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOwn ? readFileSync(descriptor) : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

/**
 * Whether the folder, and the three above it in the user's caches, belong to this user: with `sudo`, the home directory may be that
 * of another user, who could have linked them to folders of this one.
 */
const isOwnFolder = (folder: string, above = 3): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isWritable = found !== undefined && !found.isSymbolicLink() && (found.mode & 0o022) !== 0;
  const isForeign = found !== undefined && process.getuid !== undefined && found.uid !== process.getuid();
  return !isWritable && !isForeign && (above === 0 || isOwnFolder(dirname(folder), above - 1));
};

/** Writes a file that is complete as soon as it exists, even if the machine stops. */
const writeWhole = (file: string, data: Buffer): void => {
  const temporary = `${file}.${process.pid}.part`;
  rmSync(temporary, { force: true });
  // Does not follow a link.
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(descriptor, data);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
};

const oldMs = 30 * 86_400_000;

/** Removes the code of builds that is a month old. One that is still used is stored again. */
const removeOld = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > oldMs) rmSync(path, { recursive: true, force: true });
  }
};
