import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type Plugin, build } from "esbuild";
import { type InputOptions, type OutputOptions, rollup } from "rollup";
import { type Library, definitionsOf, externalsOf, pluginsOf, target } from "../tsup.config.js";
import { readableCode } from "./readable-code.js";

/** The builds that tsup does not make: esbuild resolves, transpiles and splits; Rollup arranges the chunks. */

const root = fileURLToPath(new URL("..", import.meta.url));

export interface SplitLibrary {
  readonly name: string;
  /** Names of the builds of its entries. */
  readonly entries: readonly string[];
  /** Code in ES modules, by path. */
  readonly modules: ReadonlyMap<string, string>;
}

interface Differences {
  /** Paths of source files by the names of their builds. */
  readonly entries: Readonly<Record<string, string>>;
  /** Packages and conditional imports that the build contains, although npm installs them or Node.js resolves them. */
  readonly isBundled: (external: string) => boolean;
  readonly plugins?: readonly Plugin[];
  readonly alias?: BuildOptions["alias"];
}

interface Arrangement {
  readonly treeshake?: InputOptions["treeshake"];
  readonly output: OutputOptions;
}

const folderOf = (name: string): string => join(root, "packages", name, "dist");

/** Returns the path of an entry's module. */
export const pathOf = (name: string, entry: string): string => join(folderOf(name), `${entry}.js`);

/** Splits a library into ES modules that share their code, without writing them. */
export const split = async (
  { name }: Library,
  { entries, isBundled, plugins = [], alias = {} }: Differences,
): Promise<SplitLibrary> => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folderOf(name),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target,
    tsconfig: "tsconfig.build.json",
    define: definitionsOf(name),
    external: externalsOf(name)
      .filter((external) => !isBundled(external))
      .flatMap((external) => [external, `${external}/*`]),
    alias,
    plugins: [...plugins, ...pluginsOf(name)],
    write: false,
    metafile: true,
  });
  const modules = outputFiles.map(async ({ path, text }) => [path, await readableCode(text)] as const);
  return { name, entries: Object.keys(entries), modules: new Map(await Promise.all(modules)) };
};

/** Writes a split library to a folder in `dist`. */
export const writeChunks = async (
  { name, entries, modules }: SplitLibrary,
  folder: string,
  { treeshake = true, output: options }: Arrangement,
): Promise<void> => {
  const bundled = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, pathOf(name, entry)])),
    external: (id) => !/^[./]/.test(id),
    treeshake,
    plugins: [{ name: "bundled-modules", load: (id) => modules.get(id) }, resolveAmong(modules)],
    onwarn: ({ code, message }) => {
      if (code !== "CIRCULAR_DEPENDENCY" && code !== "THIS_IS_UNDEFINED")
        throw new Error(`The build of ${name} failed: ${message}`);
    },
  });
  const { output } = await bundled.generate(options);
  await bundled.close();
  for (const file of output) {
    if (file.type !== "chunk") continue;
    const path = join(folderOf(name), folder, file.fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.code);
  }
};

const resolveAmong = (modules: ReadonlyMap<string, string>) => ({
  name: "bundled-paths",
  resolveId: (id: string, importer: string | undefined): string | undefined => {
    const path = importer === undefined ? id : join(dirname(importer), id);
    return modules.has(path) ? path : undefined;
  },
});
