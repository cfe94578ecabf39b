import { basename, dirname, join, relative } from "node:path";
import type { ImportKind, OutputFile, Plugin } from "esbuild";

/** Plugins of esbuild that put all that a program loads at its start into one file. */

/**
 * Makes files also import others, by the way in which they are loaded. esbuild puts modules into one chunk if the same files need
 * them, and otherwise would not know that all that a file imports is there once it loads another one with `import()`.
 * @param first paths of the imported files from the working directory
 */
export const startFirst = (first: Partial<Record<ImportKind, readonly string[]>>): Plugin => ({
  name: "start-first",
  setup({ onResolve, onLoad, resolve }) {
    const namespace = "start-first";
    onResolve({ filter: /./ }, async ({ path: name, pluginData, ...from }) => {
      const files = first[from.kind];
      if (files === undefined || pluginData === namespace) return undefined;
      const resolved = await resolve(name, { ...from, pluginData: namespace });
      if (resolved.external || resolved.namespace !== "file") return undefined;
      const path = relative("", resolved.path).replaceAll("\\", "/");
      return { path, namespace, pluginData: files };
    });
    onLoad({ filter: /./, namespace }, ({ path, pluginData }) => {
      const imports = (pluginData as readonly string[]).map((file) => `import "./${file}";\n`).join("");
      const code = `${imports}export * from "./${path}";`;
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
