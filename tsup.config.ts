import { readFileSync } from "node:fs";
import { type Options, defineConfig } from "tsup";

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  imports?: Record<string, unknown>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));

/**
 * A dependency that is part of the builds. The package depends on it for its types only: bundlers for edge runtimes reject the
 * check for a version of Node.js in its code, which `definitionsOf` removes.
 */
const bundled = "openapi-fetch";

/** What `pg` requires only in other environments. */
const absent = ["pg-native", "pg-cloudflare"];

/** Names of what stays outside the build of a library: packages that npm installs with it, and its own conditional imports. */
export const externalsOf = (name: string): string[] => {
  const { dependencies, peerDependencies, imports } = manifestOf(name);
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...imports });
  return [...names.filter((each) => each !== bundled), ...absent];
};

export const definitionsOf = (name: string): Record<string, string> => ({
  __MGMT_VERSION__: JSON.stringify(manifestOf(name).version),
  ...(name === "sdk" && { "process.versions": "undefined" }),
  // By these, `pg` recognizes Cloudflare. On Node.js 20, the first use of `Response` loads the client of `fetch`.
  ...(name === "platform" && { Response: "undefined", navigator: "undefined" }),
});

export const target = "node20.19";

export interface Library {
  readonly name: string;
  /** Source files that the package exports, without their ending. */
  readonly entries: readonly string[];
  /** Source files that `imports` of the package names, one per runtime. */
  readonly conditional?: readonly string[];
  readonly formats: readonly ("esm" | "cjs")[];
  /** Whether the ES modules contain CommonJS modules that require modules of Node.js. */
  readonly usesRequire?: boolean;
}

const sdk: Library = {
  name: "sdk",
  entries: ["index", "partial", "node", "auth/index", "auth/node"],
  conditional: [
    "request/trace-channels",
    "request/without-trace-channels",
    "request/type-checks",
    "request/without-type-checks",
    "transport/limited-text",
    "transport/unlimited-text",
  ],
  formats: ["esm", "cjs"],
};
const engine: Library = { name: "engine", entries: ["index"], formats: ["esm", "cjs"] };
const mock: Library = {
  name: "mock",
  entries: ["index", "server", "vitest", "jest", "playwright"],
  formats: ["esm", "cjs"],
};
/** Contains `pg`, whose 40 files take four times as long to load apart. */
const platform: Library = { name: "platform", entries: ["index"], formats: ["esm"], usesRequire: true };

export const libraries = [sdk, engine, mock, platform];

const defineRequire =
  'import { createRequire as createRequireOfModule } from "node:module";\n' +
  "const require = createRequireOfModule(import.meta.url);";

/** The build as ES modules. */
const buildOf = ({ name, entries, usesRequire = false }: Library): Options => ({
  name,
  tsconfig: "tsconfig.build.json",
  outDir: `packages/${name}/dist`,
  target,
  // Several builds share a folder, so none of them may clean it; `npm run build` removes it first.
  clean: false,
  // Deno requires it.
  removeNodeProtocol: false,
  define: definitionsOf(name),
  ...(usesRequire && { banner: { js: defineRequire } }),
  // tsup would read the manifest of the root.
  external: externalsOf(name).map((external) => new RegExp(`^${external}(/|$)`)),
  entry: entries.map((entry) => `packages/${name}/src/${entry}.ts`),
  format: "esm",
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
const sdkGroups = [["index", "partial"], ["node"], ["auth/index", "auth/node"], sdk.conditional ?? []].map(
  (entries) => ({ ...sdk, entries }),
);

/** The command of the mock. Nothing imports it. */
const mockCommand: Library = { name: "mock", entries: ["command"], formats: ["esm"] };

export default defineConfig([...sdkGroups, engine, mock, mockCommand, platform].map(buildOf));
