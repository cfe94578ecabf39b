import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { afterAll } from "vitest";
import { bundleForBrowser as bundle } from "../../../bench/runner/browser-bundle.js";

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
  const { first, later, atStart } = await bundle({
    ...programOptions(source),
    alias: {},
    external,
    outdir: "out",
  });
  return {
    size: atStart,
    text: first.map(({ text }) => text).join(""),
    later: later.map(({ text }) => text),
  };
};
