import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type BuildOptions, type Metafile, build } from "esbuild";
import { afterAll } from "vitest";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
/** esbuild's options for a program that imports the SDK, with its sources in place of the built package. */
export const programOptions = (source: string) =>
  ({
    stdin: { contents: source, resolveDir: packageRoot, loader: "ts", sourcefile: "program.ts" },
    alias: {
      "@mgmt/sdk/auth/node": join(packageRoot, "src/auth/node.ts"),
      "@mgmt/sdk/auth": join(packageRoot, "src/auth/index.ts"),
      "@mgmt/sdk/partial": join(packageRoot, "src/partial.ts"),
      "@mgmt/sdk/node": join(packageRoot, "src/node.ts"),
      "@mgmt/sdk": join(packageRoot, "src/index.ts"),
    },
    bundle: true,
    format: "esm",
    logLevel: "error",
  }) satisfies BuildOptions;

interface Builds {
  /** Creates a folder inside the package, so that programs in it find the package's dependencies. */
  makeFolder(): Promise<string>;
  /** Bundles a program for Node; returns its path. */
  bundle(source: string, options?: BuildOptions): Promise<string>;
}

/** Call at the top of a test file. Its files are removed after the tests of the file. */
export const setupBuilds = (): Builds => {
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  });
  const makeFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(packageRoot, ".test-"));
    made.push(folder);
    return folder;
  };
  return {
    makeFolder,
    async bundle(source, options = {}) {
      const outfile = join(await makeFolder(), options.format === "cjs" ? "program.cjs" : "program.mjs");
      const external = ["oauth4webapi", "openapi-fetch"];
      await build({ ...programOptions(source), platform: "node", external, ...options, outfile });
      return outfile;
    },
  };
};

/** Bundles a program with the built packages, except the external ones. Returns the text and gzip size of what a page loads at start, and the chunks that load on demand. */
export const bundleForBrowser = async (
  source: string,
  external: string[] = [],
): Promise<{ size: number; text: string; later: string[] }> => {
  const { outputFiles, metafile } = await build({
    ...programOptions(source),
    alias: {},
    external,
    // The root's tsconfig would resolve the package to its sources.
    tsconfigRaw: {},
    platform: "browser",
    minify: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: "out",
  });
  const atStart = loadedAtStart(metafile, "out/stdin.js");
  const isAtStart = ({ path }: { path: string }) => [...atStart].some((name) => path.endsWith(`/${name}`));
  const first = outputFiles.filter(isAtStart);
  const textOf = (files: typeof outputFiles) => files.map(({ text }) => text).join("");
  return {
    size: first.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    text: textOf(first),
    later: outputFiles.filter((file) => !isAtStart(file)).map((file) => file.text),
  };
};

/** Returns a file of the bundle and the files it imports statically. */
const loadedAtStart = ({ outputs }: Metafile, file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === "import-statement") loadedAtStart({ outputs, inputs: {} }, path, found);
  }
  return found;
};
