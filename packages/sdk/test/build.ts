import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { afterAll } from "vitest";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const made: string[] = [];

afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

/** A folder inside the package, so that what is built there finds the package's dependencies. Goes with the tests. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(packageRoot, ".test-"));
  made.push(folder);
  return folder;
};

/** Bundles a program against the sources, as a user's bundler would. */
export const bundle = async (source: string, options: BuildOptions = {}): Promise<string> => {
  const folder = await makeFolder();
  const output = join(folder, options.format === "cjs" ? "program.cjs" : "program.mjs");
  await build({
    stdin: { contents: source, resolveDir: packageRoot, loader: "ts" },
    alias: {
      "@mgmt/sdk/node": join(packageRoot, "src/node.ts"),
      "@mgmt/sdk": join(packageRoot, "src/index.ts"),
    },
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    outfile: output,
    external: ["openapi-fetch"],
    ...options,
  });
  return output;
};
