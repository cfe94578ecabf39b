import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, transform } from "esbuild";
import type { TsupPlugin } from "./tsup-plugin.js";

/** Plugins for builds as CommonJS, which Rollup makes of each chunk of esbuild. */

/**
 * Loads with `require` what ES modules load with `import()`, at the same moment: CommonJS test runners reject `import()`, and Node.js
 * takes several milliseconds to start its loader of ES modules.
 * @param isRequired whether this is done for a module that is not part of the build
 */
export const requireOnDemand = (isRequired: (name: string) => boolean): TsupPlugin => ({
  name: "require-on-demand",
  renderChunk: (code) => ({
    code: code
      .replaceAll(/\bimport\("([^"\n]+)"\)/g, (call, name: string) => {
        const required = `Promise.resolve().then(() => require("${name}"))`;
        if (/^[.#]/.test(name)) return required;
        return isRequired(name) ? `${required}.then(${asNamespace})` : call;
      })
      // Rollup would assign a default export without others to `module.exports`, where `import()` does not find it.
      .replaceAll(/^export \{\s*(\w+) as default\s*\};/gm, "export { $1 as default, $1 as value };"),
  }),
});

const asNamespace = "(module) => (module.__esModule ? module : { __proto__: module, default: module })";

/** Changes the code of the files once they are written, because plugins come before Rollup. */
const changeWritten = (name: string, change: (code: string) => string | Promise<string>): TsupPlugin => ({
  name,
  async buildEnd({ writtenFiles }) {
    for (const file of writtenFiles)
      await writeFile(file.name, await change(await readFile(file.name, "utf8")));
  },
});

export const minifyLast = (target: string): TsupPlugin =>
  changeWritten("minify-last", async (code) => {
    const minified = await transform(code, { minify: true, format: "cjs", platform: "node", target });
    return minified.code;
  });

const exportByGetter =
  /^Object\.defineProperty\(exports, "(\w+)", \{\n\s*enumerable: true,\n\s*get: function \(\) \{ return (\S+); \}\n\}\);$/gm;

/** Exports values in place of getters, which test runners cannot replace by spies. No module changes what it exports. */
export const plainExports = changeWritten("plain-exports", (code) =>
  code.replaceAll(exportByGetter, "exports.$1 = $2;"),
);

/** The address of a module. That of Rollup is also for browsers, where these files are not used. */
export const ownAddress: TsupPlugin = {
  name: "own-address",
  renderChunk: (code) => ({
    code: code.replaceAll(/\bimport\.meta\.url\b/g, 'require("node:url").pathToFileURL(__filename).href'),
  }),
};

/** The mock imports MSW and the SDK with a top-level `await`, which CommonJS does not have. */
export const withoutAwait: Plugin = {
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

/** Under Jest, the errors of modules of Node.js are no instances of the `Error` that the build sees. */
export const errorsOfAnyRealm: Plugin = {
  name: "errors-of-any-realm",
  setup({ onResolve }) {
    const path = fileURLToPath(
      new URL("../../packages/internal/src/errors/any-realm-error-code.ts", import.meta.url),
    );
    onResolve({ filter: /\/errors\/error-code(\.js)?$/ }, () => ({ path }));
  },
};
