import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import type { OutputPlugin } from "rollup";
import { type Library, libraries, sourcesOf } from "../tsup.config.js";
import { split, writeChunks } from "./split-library.js";
import { noteFiles } from "./third-party-licenses.js";

/**
 * Dependencies that consist of ES modules, or that require a package that does. CommonJS test runners such as Jest cannot load
 * them, so the CommonJS builds contain them.
 */
export const bundledInCommonJs = ["jose", "msw"];

/**
 * Builds the CommonJS form of each library. What ES modules load with `import()`, it loads with `require` at the same moment,
 * because CommonJS test runners reject `import()`. Its ES modules contain no other code.
 */
export const buildCommonJs = async (): Promise<void> => {
  await Promise.all(libraries.map(buildLibrary));
};

const buildLibrary = async (library: Library): Promise<void> => {
  const { name, entries, conditional = {} } = library;
  const found = await split(library, {
    entries: { ...sourcesOf(name, entries), ...conditional },
    isBundled: (external) => bundledInCommonJs.includes(external),
    plugins: [noteFiles(name), withoutAwait],
  });
  if (library.formats.includes("cjs")) {
    await writeChunks(found, ".", {
      output: {
        format: "cjs",
        entryFileNames: "[name].cjs",
        chunkFileNames: "[name]-[hash].cjs",
        exports: "named",
        interop: "auto",
        dynamicImportInCjs: false,
        plugins: [ownAddress],
      },
    });
  }
};

/** The address of a module in CommonJS. That of Rollup is also for browsers, where these files are not used. */
const ownAddress: OutputPlugin = {
  name: "own-address",
  resolveImportMeta: (property) =>
    property === "url" ? 'require("node:url").pathToFileURL(__filename).href' : null,
};

/** The mock imports MSW and the SDK with a top-level `await`, which CommonJS does not have. */
const withoutAwait: Plugin = {
  name: "without-await",
  setup({ onResolve }) {
    onResolve({ filter: /\/msw\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, dirname(path), "msw-bundled.ts"),
    }));
    onResolve({ filter: /\/client\/sdk\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, dirname(path), "sdk-required.ts"),
    }));
  },
};
