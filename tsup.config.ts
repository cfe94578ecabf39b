import { readFileSync } from "node:fs";
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

interface Library {
  readonly name: string;
  /** Source files that the package exports, without their ending. */
  readonly entries: readonly string[];
  readonly formats: readonly ("esm" | "cjs")[];
}

const sdk: Library = {
  name: "sdk",
  entries: ["index", "partial", "node", "auth/index", "auth/node"],
  formats: ["esm", "cjs"],
};
const engine: Library = { name: "engine", entries: ["index"], formats: ["esm", "cjs"] };
const mock: Library = { name: "mock", entries: ["index", "server"], formats: ["esm", "cjs"] };
const platform: Library = { name: "platform", entries: ["index"], formats: ["esm"] };

export const libraries = [sdk, engine, mock, platform];

const buildOf = ({ name, entries, formats }: Library): Options => ({
  ...shared(name),
  external: installedWith(manifestOf(name)),
  entry: entries.map((entry) => `packages/${name}/src/${entry}.ts`),
  format: [...formats],
  splitting: true,
  treeshake: true,
  esbuildOptions(options) {
    // Comments, which the declarations have too, are half of what an import reads; names and lines stay for stacks.
    options.minifyWhitespace = true;
    options.lineLimit = 120;
    // Entries that are built apart keep their folders.
    options.outbase = `packages/${name}/src`;
  },
});

/**
 * The entries of the SDK, in groups that are built apart. esbuild makes a chunk for every set of entries that share modules,
 * and each file that an import loads costs a third of a millisecond, so few entries make for few files. The price is a copy
 * of the error classes and of deadlines in each group; `instanceof` works across copies.
 */
const sdkBuilds = [["index", "partial"], ["node"], ["auth/index", "auth/node"]].map((entries) => ({
  ...buildOf({ ...sdk, entries }),
  // The builds share a folder, so none of them may clean it; `npm run build` removes it first.
  clean: false,
}));

export default defineConfig([...sdkBuilds, ...[engine, mock, platform].map(buildOf)]);
