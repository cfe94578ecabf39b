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

/** How a user's bundler would see a program, with the sources in place of the built package. */
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

/** Bundles a program for Node. */
export const bundle = async (source: string, options: BuildOptions = {}): Promise<string> => {
  const folder = await makeFolder();
  const outfile = join(folder, options.format === "cjs" ? "program.cjs" : "program.mjs");
  const external = ["oauth4webapi", "openapi-fetch"];
  await build({ ...programOptions(source), platform: "node", external, ...options, outfile });
  return outfile;
};
