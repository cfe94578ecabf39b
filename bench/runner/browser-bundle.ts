import { gzipSync } from "node:zlib";
import { type BuildOptions, type OutputFile, build } from "esbuild";
import { basename } from "node:path";

export interface BrowserBundle {
  /** The files that a page loads at start. */
  readonly first: readonly OutputFile[];
  /** All others. */
  readonly later: readonly OutputFile[];
  /** Bytes of gzip, at its highest level, of what is loaded at start. */
  readonly atStart: number;
  /** The same of all others. */
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
  const first = outputFiles.filter(({ path }) => names.has(basename(path)));
  const later = outputFiles.filter((file) => !first.includes(file));
  return {
    first,
    later,
    atStart: compressedBytes(first),
    onDemand: compressedBytes(later),
  };
};

const compressedBytes = (files: readonly OutputFile[]): number =>
  files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
