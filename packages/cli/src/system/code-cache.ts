import { lstatSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { isProtectedFolder, readOwnedFile, writeFileAtomically } from "../files/cache-folder.js";

/** The function that Node.js wraps around a CommonJS module. */
type ModuleFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: { readonly exports: object },
  filename: string,
  dirname: string,
) => void;

/** How many builds keep their code, and for how many milliseconds. One that is used again is stored again. */
const cacheLimits = { maxBuilds: 5, maxAgeMs: 30 * 86_400_000 };

/**
 * Loads files of the build as `require` does, with the code that V8 has compiled in an earlier run, which takes a fifth off the time of
 * a command. Node.js does the same since 22.8, with `module.enableCompileCache`.
 */
export class CodeCache {
  readonly #buildFolder: string;
  readonly #cacheFolder: string;
  readonly #require: NodeJS.Require;
  readonly #scripts = new Map<string, { readonly script: Script; readonly source: Buffer }>();
  #isComplete = true;

  /**
   * @param buildFolder folder of the files
   * @param cacheFolder folder of the compiled code of this build, which only this user can write; `store` creates it
   * @param require loads everything that is not a file of the build
   */
  constructor(buildFolder: string, cacheFolder: string, require: NodeJS.Require) {
    this.#buildFolder = buildFolder;
    this.#cacheFolder = cacheFolder;
    this.#require = require;
  }

  /** Returns the exports of a file. */
  load(name: string): object {
    const filename = join(this.#buildFolder, name);
    const cachedModule = this.#require.cache[filename];
    // The module assigns an object to `module.exports`.
    if (cachedModule) return cachedModule.exports as object;
    const source = readFileSync(filename);
    const sourceText = source.toString();
    // Functions of stored code cannot call `import()` on Node.js 20.
    if (sourceText.includes("import(")) return this.#require(filename) as object;
    const cachedData = this.#readCode(name, source);
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) { ${sourceText}\n})`,
      {
        filename,
        ...(cachedData && { cachedData }),
      },
    );
    this.#isComplete &&= script.cachedDataRejected === false;
    this.#scripts.set(name, { script, source });
    // Node.js looks for this module when a file that it loads itself requires this one.
    const module = { id: filename, filename, loaded: true, exports: {}, children: [], paths: [] };
    Object.assign(this.#require.cache, { [filename]: module });
    const require = (id: string): unknown =>
      id.startsWith("./") ? this.load(basename(id)) : this.#require(id);
    // The script consists of this function.
    const moduleFunction = script.runInThisContext() as ModuleFunction;
    moduleFunction.call(module.exports, module.exports, require, module, filename, this.#buildFolder);
    return module.exports;
  }

  /**
   * Returns the stored code of a file: the contents of the file, then its code, twice. V8 does not notice other code of the same length,
   * and crashes if it is damaged. Loading the module of Node.js that computes checksums takes longer than the comparison.
   */
  #readCode(name: string, source: Buffer): Buffer | undefined {
    const cachedFile = readOwnedFile(join(this.#cacheFolder, name));
    if (!cachedFile?.subarray(0, source.length).equals(source)) return undefined;
    const repeatedCode = cachedFile.subarray(source.length);
    const code = repeatedCode.subarray(0, repeatedCode.length / 2);
    return repeatedCode.subarray(code.length).equals(code) ? code : undefined;
  }

  /**
   * Stores the compiled code of all files unless all of it was stored before: a command that loads another file also compiles other
   * functions of the files that every command loads.
   */
  store(): void {
    if (this.#isComplete) return;
    try {
      createDirectory(this.#cacheFolder);
      if (!isProtectedFolder(this.#cacheFolder)) return;
      for (const [name, { script, source }] of this.#scripts) {
        const code = script.createCachedData();
        writeFileAtomically(join(this.#cacheFolder, name), Buffer.concat([source, code, code]));
      }
      removeOldBuilds(dirname(this.#cacheFolder));
    } catch {
      // The next run compiles the files again.
    }
  }
}

/** Returns a name for the compiled code of a build. Other flags of Node.js make V8 compile other code. */
export const createCacheName = (buildFolder: string, version: string): string => {
  const { dev, ino, size, mtimeMs } = statSync(join(buildFolder, "main.js"));
  const flags = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  return [version, process.version, process.arch, dev, ino, size, mtimeMs, hashText(flags)].join("-");
};

const hashText = (text: string): number =>
  Array.from(text).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32, 0);

const removeOldBuilds = (folder: string): void => {
  const builds = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, storedAt: lstatSync(path).mtimeMs };
  });
  builds.sort((left, right) => right.storedAt - left.storedAt);
  for (const [index, { path, storedAt }] of builds.entries()) {
    const shouldKeep = index < cacheLimits.maxBuilds && Date.now() - storedAt <= cacheLimits.maxAgeMs;
    if (!shouldKeep) rmSync(path, { recursive: true, force: true });
  }
};
