import { rm } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, type RollupBuild, rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { commonJsEntriesOf, libraries } from "../tsup.config.js";
import { thirdPartyDeclarations, writeDeclarationMaps } from "./declaration-maps.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder of the declarations that the compiler emits: one file per source file. */
export const declarations = `${root}dist/declarations`;

/** Packages whose types declarations contain, so that nobody has to install them. */
const contained = ["openapi-fetch", "openapi-typescript-helpers"];

/** The packages whose code and types the others contain. */
const internal = /^@mgmt\/(cluster|engine|internal)(?:\/(.+))?$/;

const resolveInternal: Plugin = {
  name: "internal-declarations",
  resolveId: (path) => {
    const [, owner, file = "index"] = internal.exec(path) ?? [];
    return owner && `${declarations}/${owner}/src/${file}.d.ts`;
  },
};

/**
 * Returns the plugin without its last step: there, an entry imports a type from another entry that exports it, instead of the file that
 * declares it. A page would then need the types of Node.js, for `@mgmt/sdk/node`, and every user of the mock those of MSW.
 */
const bundlePlugin = (): Plugin => {
  const { generateBundle, ...plugin } = dts({ includeExternal: contained });
  return plugin;
};

const bundleEntries = (name: string, entries: readonly string[]): Promise<RollupBuild> =>
  rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, `${declarations}/${name}/src/${entry}.d.ts`])),
    external: (path) => !/^[./]/.test(path) && !internal.test(path) && !contained.includes(path),
    plugins: [resolveInternal, bundlePlugin()],
    onwarn: ({ code, message }) => {
      // The plugin warns of types that are not exported although an exported class has them in its constructor.
      if (code !== "PLUGIN_WARNING")
        throw new Error(`The declarations of ${name} cannot be bundled: ${message}`);
    },
  });

/**
 * Bundles the declarations of each library: one file per entry, for each format in which the library is built. Removes the
 * compiler's output.
 * @returns the files whose types each library contains
 */
export const bundleDeclarations = async (): Promise<Map<string, readonly string[]>> => {
  const files = new Map<string, readonly string[]>();
  for (const library of libraries) {
    const { name, entries, pages = [] } = library;
    const entriesByExtension = { "d.ts": [...entries, ...pages], "d.cts": commonJsEntriesOf(library) };
    const sources = new Set<string>();
    for (const [extension, extensionEntries] of Object.entries(entriesByExtension)) {
      if (extensionEntries.length === 0) continue;
      const bundle = await bundleEntries(name, extensionEntries);
      await bundle.write({
        dir: `${root}packages/${name}/dist`,
        entryFileNames: `[name].${extension}`,
        // A file of their own, in which names that are also ours keep ours from being numbered.
        manualChunks: (path) => (/[\\/]node_modules[\\/]/.test(path) ? thirdPartyDeclarations : undefined),
        chunkFileNames: ({ name: chunk }) => `${chunk.replace(/\.d$/, "")}-[hash].${extension}`,
      });
      for (const file of bundle.watchFiles) sources.add(relative(root, file));
      await bundle.close();
    }
    files.set(name, [...sources]);
    writeDeclarationMaps(
      `${root}packages/${name}/dist`,
      [name, "engine", "internal"].map((owner) => `${declarations}/${owner}/src`),
    );
  }
  await rm(declarations, { recursive: true });
  return files;
};
