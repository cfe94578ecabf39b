import Module from "node:module";
import { basename, join } from "node:path";
import { readEmbeddedText } from "./standalone.js";

/** A CommonJS module with the method that Node.js calls, which is not in its types. */
interface CommonJsModule {
  exports: object;
  _compile(source: string, filename: string): void;
}

const loadedModules = new Map<string, CommonJsModule>();

/**
 * Loads a file of the build that the standalone program contains, as `require` does. Throws if there is none.
 * @param require loads everything that is not a file of the build
 * @param readText returns the text of a file of the build. Default: the folder of the standalone program.
 */
export const requireEmbedded = (
  name: string,
  require: NodeJS.Require,
  readText: (name: string) => string = readEmbeddedText,
): object => {
  const cachedModule = loadedModules.get(name);
  if (cachedModule) return cachedModule.exports;
  const filename = join(process.execPath, name);
  const newModule = Object.assign(new Module(filename), {
    filename,
    require: (id: string): unknown =>
      id.startsWith("./") ? requireEmbedded(basename(id), require, readText) : require(id),
  }) as unknown as CommonJsModule;
  loadedModules.set(name, newModule);
  newModule._compile(readText(name), filename);
  return newModule.exports;
};
