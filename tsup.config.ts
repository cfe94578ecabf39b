import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Options, defineConfig } from "tsup";

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));

/** What is installed beside the package stays outside; tsup itself would ask the root's manifest. */
const installedWith = ({ dependencies, peerDependencies }: Manifest): RegExp[] =>
  Object.keys({ ...dependencies, ...peerDependencies }).map(
    (dependency) => new RegExp(`^${dependency}(/|$)`),
  );

const shared = (name: string): Options => ({
  name,
  tsconfig: "tsconfig.build.json",
  outDir: `packages/${name}/dist`,
  target: "node20.19",
  clean: true,
  // tsup would strip it before the plugin below is asked; and Deno wants it.
  removeNodeProtocol: false,
  define: { __MGMT_VERSION__: JSON.stringify(manifestOf(name).version) },
});

const library = (name: string, entries: string[]): Options => ({
  ...shared(name),
  external: installedWith(manifestOf(name)),
  entry: entries.map((entry) => `packages/${name}/src/${entry}.ts`),
  format: ["esm", "cjs"],
  dts: true,
  splitting: true,
  treeshake: true,
  esbuildOptions(options) {
    // Comments, which the declarations have too, are half of what an import reads; names and lines stay for stacks.
    options.minifyWhitespace = true;
    options.lineLimit = 120;
  },
});

/** What all entries of the SDK use, and so may be one chunk. */
const base = ["request/deadline", "request/reason-of", "transport/fetch-transport"];
/** What both clients are made of, and so what their parts on demand find loaded. */
const clients = ["generated/resources", "partial-client", "safe"];

/** What starts a file of the SDK's, with modules of which it is to reach each. */
const reached: Readonly<Record<string, readonly string[]>> = {
  "on-demand": clients,
  http: clients,
  node: base,
  "auth/index": base,
  "auth/node": base,
  "auth/protocol": base,
  "auth/loopback/callback-server": base,
};

/**
 * esbuild makes a chunk of what the same files reach, and each file that is loaded costs an import a third of a
 * millisecond: what nearly all of them use is put into the reach of the rest.
 */
const withSharedChunks = (options: Options): Options => ({
  ...options,
  esbuildPlugins: [
    {
      name: "shared-chunks",
      setup({ initialOptions, onLoad }) {
        // The imports are ignored but for their reach.
        initialOptions.logOverride = { "ignored-bare-import": "silent" };
        const sourceOf = (module: string): string => resolve(`packages/sdk/src/${module}.ts`);
        const files = new Map(Object.entries(reached).map(([module, others]) => [sourceOf(module), others]));
        onLoad({ filter: /\.ts$/ }, async ({ path }) => {
          const others = files.get(path);
          if (!others) return undefined;
          const imports = others.map((module) => `import ${JSON.stringify(sourceOf(module))};`);
          return { contents: `${await readFile(path, "utf8")}\n${imports.join("")}`, loader: "ts" };
        });
      },
    },
  ],
});

export default defineConfig([
  withSharedChunks(library("sdk", ["index", "node", "partial", "auth/index", "auth/node"])),
  library("engine", ["index"]),
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
    external: ["@mgmt/platform", "@inquirer/prompts", "@napi-rs/keyring", "conf", "open"],
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
    plugins: [
      {
        // CommonJS dependencies ask for built-in modules through one chunk; no other has to pay for it.
        name: "require-in-esm",
        renderChunk: (code) =>
          code.includes("typeof require")
            ? {
                code: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);${code}`,
              }
            : undefined,
      },
    ],
  },
]);
