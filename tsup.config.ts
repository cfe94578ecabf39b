import { readFileSync } from "node:fs";
import { type Options, defineConfig } from "tsup";

const version = (name: string): string => {
  const manifest: { version: string } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));
  return manifest.version;
};

const shared = (name: string): Options => ({
  name,
  tsconfig: "tsconfig.build.json",
  outDir: `packages/${name}/dist`,
  target: "node20.19",
  clean: true,
  define: { __MGMT_VERSION__: JSON.stringify(version(name)) },
});

const library = (name: string, entries: string[]): Options => ({
  ...shared(name),
  entry: entries.map((entry) => `packages/${name}/src/${entry}.ts`),
  format: ["esm", "cjs"],
  dts: true,
  splitting: true,
  treeshake: true,
});

export default defineConfig([
  library("sdk", ["index", "node"]),
  library("mock", ["index", "server"]),
  { ...library("platform", ["index"]), format: ["esm"] },
  {
    ...shared("cli"),
    entry: ["packages/cli/src/mgmt.ts"],
    format: ["esm"],
    splitting: true,
    // With its paths the SDK is bundled from source: this build does not wait for that one.
    tsconfig: "tsconfig.json",
    // Less to read at every start.
    minify: true,
    noExternal: ["@mgmt/sdk", "chalk", "cli-table3", "commander", "yaml"],
    external: ["@mgmt/platform", "@inquirer/prompts"],
    esbuildPlugins: [
      {
        // Commander can run programs as its subcommands; ours has none, and loading child_process takes 3 ms.
        name: "commander-without-child-process",
        setup({ onResolve }) {
          onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
            /[\\/]commander[\\/]/.test(importer) ? { path: "node:events", external: true } : undefined,
          );
        },
      },
    ],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  },
]);
