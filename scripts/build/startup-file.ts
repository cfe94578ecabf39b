import { basename, dirname, join, relative } from "node:path";
import type { ImportKind, OutputFile, Plugin } from "esbuild";

/** Plugins of esbuild that put all that a program loads at its start into one file. */

/**
 * Makes files also import the file of the first entry: those that are loaded with `import()`, or also other entries. esbuild puts
 * modules into one chunk if the same files need them, and otherwise would not know that all that this entry loads is there already.
 * @param entry path from the working directory
 */
export const startFirst = (entry: string, kinds: readonly ImportKind[] = ["dynamic-import"]): Plugin => ({
  name: "start-first",
  setup({ onResolve, onLoad, resolve }) {
    const namespace = "start-first";
    onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
      if (!kinds.includes(from.kind) || pluginData === namespace) return undefined;
      const resolved = await resolve(path, { ...from, pluginData: namespace });
      if (resolved.external || resolved.namespace !== "file") return undefined;
      return { path: relative("", resolved.path).replaceAll("\\", "/"), namespace };
    });
    onLoad({ filter: /./, namespace }, ({ path }) => {
      const code = `import "./${entry}";\nexport * from "./${path}";`;
      // Our own modules have no default export.
      const defaultExport = `import * as module from "./${path}";\nexport default module["default"];`;
      return { contents: path.endsWith(".ts") ? code : `${code}\n${defaultExport}`, resolveDir: "." };
    });
  },
});

/** A file that only exports what it imports from another one, under the same names. */
const passOn = /^import \{\n([^}]*)\n\} from "\.\/([^"]+)";\n(?:import "\.\/[^"]+";\n)*export \{\n\1\n\};\n$/;
const headings = /^\n?\/\/ .*\n/gm;

/**
 * Leaves out files that only pass on what another file exports, and empty ones. The chunk whose exports the entry passes on becomes
 * the file of the entry.
 * @param entry name of the built file
 */
export const joinFiles = (entry: string): Plugin => ({
  name: "join-files",
  setup({ onEnd }) {
    onEnd(({ outputFiles = [] }) => {
      const sources = new Map<string, string>();
      for (const { path, text } of outputFiles) {
        const [, , source] = passOn.exec(text.replaceAll(headings, "")) ?? [];
        if (source !== undefined) sources.set(basename(path), source);
      }
      const entrySource = sources.get(entry);
      if (entrySource === undefined) throw new Error(`${entry} does not consist of one chunk`);
      const nameOf = (name: string): string => {
        if (name === entrySource) return entry;
        const source = sources.get(name);
        return source === undefined ? name : nameOf(source);
      };
      const joined = outputFiles
        .filter(({ path, text }) => text !== "" && !sources.has(basename(path)))
        .map(({ path, text, hash }): OutputFile => {
          const code = text.replaceAll(/"\.\/([^"\n]+\.js)"/g, (_, name: string) => `"./${nameOf(name)}"`);
          const contents = new TextEncoder().encode(code);
          return { path: join(dirname(path), nameOf(basename(path))), text: code, contents, hash };
        });
      outputFiles.splice(0, outputFiles.length, ...joined);
    });
  },
});
