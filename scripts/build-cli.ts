import { readFileSync, rmSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Metafile, type Plugin, transform } from "esbuild";
import { type OutputChunk, rollup } from "rollup";
import type { main as mainOfCli, ProcessLike } from "../packages/cli/src/main.js";
import { silentProxyAgents } from "./bundled-proxy-agents.js";
import { filesIn, writeThirdPartyLicenses } from "./third-party-licenses.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(join(root, "packages/cli/package.json"));
const source = "packages/cli/src";
const folder = join(root, "packages/cli/dist");
const target = "node20.19";

/**
 * Installed beside the command: a package that only `mgmt dev` needs, one whose license (MPL-2.0) does not allow minified
 * copies alone, and native code. Everything else is bundled.
 */
const external = ["@mgmt/platform", "@jmespath-community/jmespath", "@napi-rs/keyring"];

/** What a command such as `mgmt projects list` loads, besides the table of its group. It becomes a single file. */
const startup = ["main.ts", "run/run.ts", "sdk/sdk.ts"];

const shared = {
  absWorkingDir: root,
  outdir: folder,
  bundle: true,
  platform: "node",
  target,
  tsconfig: "tsconfig.json",
} satisfies BuildOptions;

/**
 * Builds the command as CommonJS, which starts several milliseconds faster than ES modules. esbuild resolves, transpiles and
 * splits at each `import()`; Rollup joins what every command loads; esbuild minifies the result.
 */
export const buildCli = async (): Promise<void> => {
  const { modules, startupModules } = await bundle();
  const bundled = await rollup({
    input: "main.js",
    external: (id) => !modules.has(basename(id)),
    // The file of `main.ts` also exports what other files need of it.
    preserveEntrySignatures: "allow-extension",
    onwarn: (warning, warn) => {
      // esbuild has left an import of which nothing is used.
      if (warning.code !== "UNUSED_EXTERNAL_IMPORT") warn(warning);
    },
    plugins: [
      {
        name: "bundled-modules",
        resolveId: (id) => (modules.has(basename(id)) ? basename(id) : undefined),
        load: (id) => modules.get(id),
        // Node.js loads its own modules without the ES module loader then, which takes several milliseconds to start.
        renderDynamicImport: ({ targetModuleId }) =>
          targetModuleId?.startsWith("node:")
            ? {
                left: "Promise.resolve().then(() => require(",
                right: ")).then((builtin) => ({ __proto__: builtin, default: builtin }))",
              }
            : null,
      },
    ],
  });
  const { output } = await bundled.generate({
    format: "cjs",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    manualChunks: (id) => (startupModules.has(id) ? "main" : undefined),
    onlyExplicitManualChunks: true,
    exports: "named",
    esModule: false,
    interop: "default",
  });
  await bundled.close();

  rmSync(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // The package itself is `"type": "module"`.
  await writeFile(join(folder, "package.json"), '{"type":"commonjs"}\n');
  await Promise.all(output.map((file) => (file.type === "chunk" ? writeMinified(file) : undefined)));
  // `open` uses this program on Linux systems that have none.
  await copyFile(join(dirname(require.resolve("open")), "xdg-open"), join(folder, "xdg-open"));
  // Last, because its age tells whether the build is stale.
  await buildEntry(await overviewOf(join(folder, "main.js")));
};

/** Builds the file that runs first. It shares no code with the others, so that a fixed text loads no other file. */
const buildEntry = async (overview: Record<string, string>): Promise<void> => {
  await build({
    ...shared,
    entryPoints: [`${source}/mgmt.ts`],
    external: ["./main.js"],
    format: "cjs",
    // Makes `import()` a `require`, which does not load the ES module loader.
    supported: { "dynamic-import": false },
    minify: true,
    define: { __MGMT_OVERVIEW__: JSON.stringify(overview) },
  });
};

interface Bundle {
  /** Code in ES modules, by file name. */
  readonly modules: ReadonlyMap<string, string>;
  /** Names of the modules that `startup` consists of. */
  readonly startupModules: ReadonlySet<string>;
}

const bundle = async (): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [`${source}/main.ts`],
    write: false,
    metafile: true,
    splitting: true,
    format: "esm",
    external,
    inject: ["scripts/node-20/performance.ts"],
    plugins: [
      usedPartsOfInquirer,
      usedPartsOfTables,
      silentProxyAgents,
      uncheckedOptions,
      {
        // Commander imports child_process for subcommands that are programs. The CLI has none, and the import takes 3 ms.
        name: "commander-without-child-process",
        setup({ onResolve }) {
          onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
            /[\\/]commander[\\/]/.test(importer) ? { path: "node:events", external: true } : undefined,
          );
        },
      },
    ],
  });
  writeThirdPartyLicenses("cli", filesIn(metafile));
  const modules = new Map(
    outputFiles.map(({ path, text }) => [basename(path), text.replaceAll(unusedImport, "")]),
  );
  return { modules, startupModules: startupModulesOf(metafile, modules) };
};

/**
 * An import of nothing. esbuild adds one for each module that an entry reaches, also if it uses nothing of it, so that the module
 * could act when it is loaded. None does.
 */
const unusedImport = /^import "\.\/[^"]+";\n/gm;

/**
 * npm installs a copy of the same modules for each prompt. The packages say that they have no side effects, so that prompts that
 * are not used are left out, but a second package.json beside their code, which says nothing, hides it.
 */
const usedPartsOfInquirer: Plugin = {
  name: "used-parts-of-inquirer",
  setup({ onResolve, resolve }) {
    const shared = dirname(require.resolve("@inquirer/prompts"));
    onResolve({ filter: /^@inquirer\// }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === usedPartsOfInquirer.name) return undefined;
      const isShared = /^@inquirer\/(ansi|core|figures|type)$/.test(path);
      const found = await resolve(path, {
        kind,
        resolveDir: isShared ? shared : resolveDir,
        pluginData: usedPartsOfInquirer.name,
      });
      return { ...found, sideEffects: false };
    });
  },
};

/**
 * Leaves out what the SDK does for programs of others: TypeScript has checked the options that the command passes, and the command
 * prints no response with `console.log`. A command makes too few calls to gain from timers that are used again.
 */
const uncheckedOptions: Plugin = {
  name: "unchecked-options",
  setup({ onResolve }) {
    const without = {
      "#type-checks": "checks/no-type-checks.ts",
      "#all-type-checks": "checks/no-type-checks.ts",
      "#masked-inspection": "debug/without-masked-inspection.ts",
      "#limit": "deadlines/plain-limit.ts",
    };
    for (const [path, file] of Object.entries(without)) {
      onResolve({ filter: new RegExp(`^${path}$`) }, () => ({ path: join(root, "packages/sdk/src", file) }));
    }
  },
};

/**
 * Leaves out what cli-table3 would load for nothing: `output/draw-rows.ts` passes it only texts whose characters take one column
 * each, and colors them itself. With these two packages, `mgmt projects list` takes 74 ms in place of 72 on Node.js 20 and prints the
 * same; with 2,000 rows, it takes 510 ms in place of 350.
 */
const usedPartsOfTables: Plugin = {
  name: "used-parts-of-tables",
  setup({ onResolve, onLoad }) {
    const namespace = "cli-table3";
    const modules: Readonly<Record<string, string>> = {
      "string-width": "module.exports = (text) => text.length;",
      "@colors/colors/safe": "module.exports = {};",
    };
    onResolve({ filter: /^(string-width|@colors\/colors\/safe)$/ }, ({ path, importer }) =>
      /[\\/]cli-table3[\\/]/.test(importer) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: modules[path] ?? "" }));
  },
};

const startupModulesOf = ({ outputs }: Metafile, modules: Bundle["modules"]): Set<string> => {
  const found = new Set<string>();
  const add = (name: string): void => {
    const code = modules.get(name);
    if (code === undefined || found.has(name)) return;
    found.add(name);
    for (const [, imported = ""] of code.matchAll(/ from "\.\/([^"]+)";$/gm)) add(imported);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (startup.some((file) => entryPoint === `${source}/${file}`)) add(basename(path));
  }
  return found;
};

const writeMinified = async ({ fileName, code }: OutputChunk): Promise<void> => {
  const minified = await transform(code, {
    minify: true,
    format: "cjs",
    platform: "node",
    target,
  });
  await writeFile(join(folder, fileName), minified.code);
};

/** Returns what `mgmt --help` prints: for 80 columns, and for a terminal that is wide enough for every line. */
const overviewOf = async (file: string): Promise<Record<string, string>> => {
  const { main }: { main: typeof mainOfCli } = createRequire(import.meta.url)(file);
  const manifest = readFileSync(join(root, "packages/cli/package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(manifest);
  const textFor = async (columns: number): Promise<string> => {
    let text = "";
    const stdout = { isTTY: true, columns, write: (part: string) => (text += part) };
    const host = { env: {}, cwd: () => root, on: () => undefined, stdout };
    // Help uses no more of a process.
    await main(["--help"], version, host as unknown as ProcessLike);
    return text;
  };
  return { wrapped: await textFor(80), unwrapped: await textFor(1_000) };
};
