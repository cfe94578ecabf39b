import { gzipSync } from "node:zlib";
import { type BuildOptions, type OutputFile, build } from "esbuild";
import { basename } from "node:path";

export interface BrowserBundle {
  readonly files: readonly OutputFile[];
  /** Bytes of gzip of what is loaded at start. */
  readonly atStart: number;
  /** Bytes of gzip of all other chunks. */
  readonly onDemand: number;
}

/** Bundles a program for a browser: minified, ES2022, split at `import()`. The first entry point is what a page loads. */
export const bundleForBrowser = async (options: BuildOptions): Promise<BrowserBundle> => {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
    // The root's tsconfig would resolve the packages to their sources.
    tsconfigRaw: {},
    ...options,
    metafile: true,
    write: false,
  });
  const [entry = ""] = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [path],
  );
  // The entry and everything that it imports statically, directly or indirectly.
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { path, kind } of metafile.outputs[file]?.imports ?? []) {
      if (kind === "import-statement") loaded.add(path);
    }
  }
  const names = new Set([...loaded].map((path) => basename(path)));
  const bytes = (isCounted: (name: string) => boolean): number =>
    outputFiles
      .filter(({ path }) => isCounted(basename(path)))
      .reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  return {
    files: outputFiles,
    atStart: bytes((name) => names.has(name)),
    onDemand: bytes((name) => !names.has(name)),
  };
};
