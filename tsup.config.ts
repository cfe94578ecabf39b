import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Plugin } from "esbuild";
import { type Options, defineConfig } from "tsup";
import { cli } from "./scripts/build/cli.js";
import {
  errorsOfAnyRealm,
  ownAddress,
  plainExports,
  requireOnDemand,
  withoutAwait,
} from "./scripts/build/commonjs.js";
import { jsonTables } from "./scripts/build/json-tables.js";
import { importedBuiltins, silentProxyAgents } from "./scripts/build/proxy-agents.js";
import { readableCode } from "./scripts/build/readable-code.js";
import { startFirst } from "./scripts/build/startup-file.js";
import { absentGlobals } from "./scripts/node-20/absent-globals.js";
import { noteFiles } from "./scripts/third-party-licenses.js";

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
  imports?: Record<string, { node?: { import: string }; default: { import: string } }>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));

/** What `pg` requires only in other environments, and what MSW loads in functions that the mock does not use. */
const absent = ["pg-native", "pg-cloudflare", "graphql"];

/** Names of what stays outside the build of a library: packages that npm installs with it, and its own conditional imports. */
const externalsOf = (name: string): string[] => {
  const { dependencies, peerDependencies, peerDependenciesMeta, imports } = manifestOf(name);
  return [
    ...Object.keys({ ...dependencies, ...peerDependencies, ...peerDependenciesMeta, ...imports }),
    ...absent,
  ];
};

const definitionsOf = (name: string): Record<string, string> => ({
  __MGMT_VERSION__: JSON.stringify(manifestOf(name).version),
  // Bundlers for edge runtimes reject the check for a version of Node.js in `openapi-fetch`.
  ...(name === "sdk" && { "process.versions.node": "undefined", "process.versions.undici": "undefined" }),
  ...(name === "platform" && absentGlobals),
});

export interface Library {
  readonly name: string;
  /** Source files that the package exports, without their ending. */
  readonly entries: readonly string[];
  /** Source files that the package exports for web pages, as ES modules alone. */
  readonly pages?: readonly string[];
  /** Source files that replace an entry where Node.js is not, as ES modules alone. The entry declares their types. */
  readonly plain?: readonly string[];
  /** Source files that `imports` of the package names, one per runtime, by the names of their builds. */
  readonly conditional?: Readonly<Record<string, string>>;
  readonly formats: readonly ("esm" | "cjs")[];
  /** The entries that are built as CommonJS. Default: all, if that is among the formats. */
  readonly commonJsEntries?: readonly string[];
  /** Whether the ES modules contain CommonJS modules that require modules of Node.js. */
  readonly usesRequire?: boolean;
}

/** Returns paths of source files of a package by the names of their builds, which are the same without their ending. */
const sourcesOf = (name: string, files: readonly string[]): Record<string, string> =>
  Object.fromEntries(files.map((file) => [file, `packages/${name}/src/${file}.ts`]));

const sdk: Library = {
  name: "sdk",
  entries: ["index", "partial", "node", "auth/index", "auth/node"],
  conditional: sourcesOf("sdk", [
    "deadlines/light-limit",
    "deadlines/plain-limit",
    "request/trace-channels",
    "request/without-trace-channels",
    "debug/masked-inspection",
    "debug/without-masked-inspection",
    "checks/type-checks",
    "checks/without-type-checks",
    "request/environment",
    "request/without-environment",
    "transport/limited-text",
    "transport/unlimited-text",
  ]),
  formats: ["esm", "cjs"],
};
const mock: Library = {
  name: "mock",
  entries: ["index", "server", "vitest", "jest", "playwright"],
  pages: ["browser", "vitest-browser"],
  plain: ["plain"],
  conditional: {
    ...sourcesOf("mock", ["platform/node-platform", "platform/plain-platform"]),
    ...sourcesOf("engine", [
      "digest/node-digest",
      "digest/plain-digest",
      "request/validators",
      "request/late-validators",
    ]),
  },
  formats: ["esm", "cjs"],
};
/** Contains `pg`, whose 40 files take four times as long to load apart. */
const platform: Library = {
  name: "platform",
  entries: ["index", "serve", "vitest", "jest", "playwright", "node-test", "test-databases"],
  formats: ["esm", "cjs"],
  // Node.js loads the others from CommonJS as they are, and Jest does not.
  commonJsEntries: ["jest"],
  usesRequire: true,
};

/** Returns the entries of a library that are also CommonJS modules. */
export const commonJsEntriesOf = ({
  entries,
  formats,
  commonJsEntries = entries,
}: Library): readonly string[] => (formats.includes("cjs") ? commonJsEntries : []);

export const libraries = [sdk, mock, platform];

const defineRequire =
  'import { createRequire as createRequireOfModule } from "node:module";\n' +
  "const require = createRequireOfModule(import.meta.url);";

interface Differences {
  /** Names of what the build contains, although npm installs it or Node.js resolves it. */
  readonly contained?: readonly string[];
  readonly esbuildPlugins?: readonly Plugin[];
  readonly alias?: Record<string, string>;
}

/** Returns the build of some entries of a library as ES modules. */
const buildOf = (
  { name, usesRequire = false }: Library,
  entry: Record<string, string>,
  { contained = [], esbuildPlugins = [], alias = {} }: Differences = {},
): Options => ({
  name,
  tsconfig: "tsconfig.build.json",
  outDir: `packages/${name}/dist`,
  target: "node20.19",
  // Several builds share a folder, so none of them may clean it; `npm run build` removes it first.
  clean: false,
  // Deno requires it.
  removeNodeProtocol: false,
  define: definitionsOf(name),
  ...(usesRequire && { banner: { js: defineRequire } }),
  // tsup would read the manifest of the root.
  external: externalsOf(name)
    .filter((external) => !contained.includes(external))
    .map((external) => new RegExp(`^${external}(/|$)`)),
  entry,
  // The development dependencies of a package that its code imports are part of its build.
  esbuildPlugins: [
    noteFiles(name),
    ...esbuildPlugins,
    ...(name === "sdk" ? [silentProxyAgents, importedBuiltins] : []),
  ],
  plugins: [readableCode],
  format: "esm",
  splitting: true,
  // esbuild imports every chunk that an entry reaches, also if it uses nothing of it. No module acts when it is loaded.
  treeshake: { moduleSideEffects: "no-external" },
  esbuildOptions(options) {
    // Entries that are built apart keep their folders.
    options.outbase = `packages/${name}/src`;
    options.alias = alias;
  },
});

const firstFileOf = ({ name, entries }: Library): string =>
  `packages/${name}/src/${entries[0] ?? "index"}.ts`;

/**
 * Returns the build as CommonJS, which contains the dependencies that consist of ES modules, or that require a package that does:
 * CommonJS test runners such as Jest cannot load them.
 */
const buildCommonJs = (library: Library): Options => {
  const { name, conditional } = library;
  const options = buildOf(
    { ...library, usesRequire: false },
    { ...sourcesOf(name, commonJsEntriesOf(library)), ...conditional },
    {
      contained: ["jose", "msw"],
      esbuildPlugins: [
        startFirst({ "dynamic-import": [firstFileOf(library)] }),
        withoutAwait,
        // Only the entry for Jest uses files.
        ...(name === "platform" ? [errorsOfAnyRealm] : []),
      ],
    },
  );
  return {
    ...options,
    format: "cjs",
    outExtension: () => ({ js: ".cjs" }),
    plugins: [...(options.plugins ?? []), requireOnDemand(() => true), ownAddress, plainExports],
  };
};

/**
 * The build as ES modules that Node.js loads. Each file costs an import a third of a millisecond, and each conditional import
 * a whole one, so this build contains what Node.js would choose, and has few files: all that the first entry loads is in one
 * chunk, which the other entries and the code that is loaded later share.
 */
const buildForNode = (library: Library): Options => {
  const { name, entries } = library;
  const files = Object.entries(manifestOf(name).imports ?? {}).map(([path, { node, default: otherwise }]) => {
    const built = (node ?? otherwise).import;
    return [path, resolve(`packages/${name}`, built.replace("./dist/", "src/").replace(/\.js$/, ".ts"))];
  });
  const options = buildOf(library, sourcesOf(name, entries), {
    contained: files.map(([path = ""]) => path),
    alias: Object.fromEntries(files),
    esbuildPlugins: [
      startFirst({
        "entry-point": [firstFileOf(library)],
        // Most of what is loaded later belongs to a login.
        "dynamic-import": [firstFileOf(library), `packages/${name}/src/auth/index.ts`],
      }),
      jsonTables(["generated/operations.ts", "generated/query-names.ts"]),
    ],
  });
  return { ...options, outDir: `${options.outDir ?? ""}/for-node` };
};

/**
 * The entries of the SDK, in groups that are built apart. esbuild makes a chunk for every set of entries that share modules,
 * and each file that an import loads costs a third of a millisecond, so few entries make for few files. The price is a copy
 * of the error classes and of deadlines in each group; `instanceof` works across copies.
 */
const sdkGroups = [["index", "partial"], ["node"], ["auth/index", "auth/node"]].map((entries) =>
  sourcesOf("sdk", entries),
);

/** The entries of the platform with the program that keeps the server for tests, which nothing imports. */
const platformGroup = sourcesOf("platform", [...platform.entries, "tests/daemon"]);

/** The entries of the mock with its command, which nothing imports. They share the code of the engine. */
const mockGroup = sourcesOf("mock", [
  ...mock.entries,
  ...(mock.pages ?? []),
  ...(mock.plain ?? []),
  "command",
]);

export const libraryBuilds = [
  ...[...sdkGroups, sdk.conditional ?? {}].map((group) => buildOf(sdk, group)),
  buildForNode(sdk),
  ...[mockGroup, mock.conditional ?? {}].map((group) => buildOf(mock, group)),
  ...libraries.map(buildCommonJs),
  buildOf(platform, platformGroup),
];

export default defineConfig([...libraryBuilds, cli]);
