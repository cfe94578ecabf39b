import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { libraries } from "../tsup.config.js";
import { writeDeclarationMaps } from "./declaration-maps.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder of the declarations that the compiler emits: one file per source file. */
export const declarations = `${root}dist/declarations`;

/**
 * Bundles the declarations of each library: one file per entry, for each format in which the library is built. Removes the
 * compiler's output.
 */
export const bundleDeclarations = async (): Promise<void> => {
  for (const { name, entries, formats } of libraries) {
    const input = entries.map((entry) => [entry, `${declarations}/${name}/src/${entry}.d.ts`]);
    const bundle = await rollup({
      input: Object.fromEntries(input),
      external: (path) => !/^[./]/.test(path),
      plugins: [dts()],
      onwarn: ({ code, message }) => {
        // The plugin warns of types that are not exported although an exported class has them in its constructor.
        if (code !== "PLUGIN_WARNING")
          throw new Error(`The declarations of ${name} cannot be bundled: ${message}`);
      },
    });
    for (const format of formats) {
      const extension = format === "esm" ? "d.ts" : "d.cts";
      await bundle.write({
        dir: `${root}packages/${name}/dist`,
        entryFileNames: `[name].${extension}`,
        chunkFileNames: ({ name: chunk }) => `${chunk.replace(/\.d$/, "")}-[hash].${extension}`,
      });
    }
    await bundle.close();
    writeDeclarationMaps(`${root}packages/${name}/dist`, `${declarations}/${name}/src`);
  }
  await rm(declarations, { recursive: true });
};
