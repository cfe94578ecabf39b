import { readFile, writeFile } from "node:fs/promises";
import { transform } from "esbuild";
import type { Options } from "tsup";

/** Plugins of tsup for builds as CommonJS, which Rollup makes of each chunk of esbuild. */
type TsupPlugin = NonNullable<Options["plugins"]>[number];

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

/** Minifies the files once they are written, because plugins come before Rollup. */
export const minifyLast = (target: string): TsupPlugin => ({
  name: "minify-last",
  async buildEnd({ writtenFiles }) {
    for (const { name } of writtenFiles) {
      const { code } = await transform(await readFile(name, "utf8"), {
        minify: true,
        format: "cjs",
        platform: "node",
        target,
      });
      await writeFile(name, code);
    }
  },
});
