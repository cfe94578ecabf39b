import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GetModuleInfo } from "rollup";
import { type Library, sourcesOf } from "../tsup.config.js";
import { pathOf, split, writeChunks } from "./split-library.js";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  readonly imports: Record<string, { node?: { import: string }; default: { import: string } }>;
}

/**
 * Builds the ES modules that Node.js loads. Each file costs an import a third of a millisecond, and each conditional import
 * a whole one, so this build contains what Node.js would choose, and has few files: all that the first entry loads is in one
 * chunk, which the other entries and the code that is loaded later share.
 */
export const buildForNode = async (library: Library): Promise<void> => {
  const { name, entries } = library;
  const chosen = chosenByNode(name);
  const found = await split(library, {
    entries: sourcesOf(name, entries),
    isBundled: (external) => Object.hasOwn(chosen, external),
    alias: chosen,
  });
  const first = pathOf(name, entries[0] ?? "index");
  await writeChunks(found, "for-node", {
    treeshake: { moduleSideEffects: "no-external" },
    output: {
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      manualChunks: (id, { getModuleInfo }) =>
        id !== first && reachedFrom(first, getModuleInfo).has(id) ? "core" : undefined,
    },
  });
};

/** Returns the source files that the conditional imports of a package mean in Node.js. */
const chosenByNode = (name: string): Record<string, string> => {
  const folder = join(root, "packages", name);
  const { imports }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.fromEntries(
    Object.entries(imports).map(([path, { node, default: otherwise }]) => [
      path,
      join(folder, (node ?? otherwise).import.replace("./dist/", "src/").replace(/\.js$/, ".ts")),
    ]),
  );
};

/** Returns the modules that a module imports, directly or through others, before any code runs. */
const reachedFrom = (id: string, getModuleInfo: GetModuleInfo, found = new Set<string>()): Set<string> => {
  for (const imported of getModuleInfo(id)?.importedIds ?? []) {
    if (found.has(imported)) continue;
    found.add(imported);
    reachedFrom(imported, getModuleInfo, found);
  }
  return found;
};
