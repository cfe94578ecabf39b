import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Metafile, type Plugin, build, transform } from "esbuild";
import { rollup } from "rollup";
import { type Library, definitionsOf, externalsOf, libraries, target } from "../tsup.config.js";
import { writeThirdPartyLicenses } from "./third-party-licenses.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Dependencies that consist of ES modules, or that require a package that does. CommonJS test runners such as Jest cannot load
 * them, so the CommonJS builds contain them.
 */
export const bundledInCommonJs = ["jose", "msw", "oauth4webapi"];

/**
 * Builds the CommonJS form of each library, and writes the licenses of what it contains, which is no less than what the ES
 * modules contain. What ES modules load with `import()`, it loads with `require` at the same moment,
 * because CommonJS test runners reject `import()`. esbuild resolves, transpiles and splits; Rollup converts the chunks.
 */
export const buildCommonJs = async (): Promise<void> => {
  await Promise.all(libraries.map(buildLibrary));
};

const inputsOf = ({ entries, conditional = [] }: Library): string[] => [...entries, ...conditional];

const buildLibrary = async (library: Library): Promise<void> => {
  const folder = join(root, "packages", library.name, "dist");
  const { modules, metafile } = await bundle(library, folder);
  writeThirdPartyLicenses(library.name, metafile);
  if (!library.formats.includes("cjs")) return;
  const bundled = await rollup({
    input: Object.fromEntries(inputsOf(library).map((entry) => [entry, join(folder, `${entry}.js`)])),
    external: (id) => !/^[./]/.test(id),
    plugins: [{ name: "bundled-modules", load: (id) => modules.get(id) }, resolveAmong(modules)],
    onwarn: ({ code, message }) => {
      if (code !== "CIRCULAR_DEPENDENCY" && code !== "THIS_IS_UNDEFINED")
        throw new Error(`The CommonJS build of ${library.name} failed: ${message}`);
    },
  });
  const { output } = await bundled.generate({
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    exports: "named",
    interop: "auto",
    dynamicImportInCjs: false,
  });
  await bundled.close();
  for (const file of output) {
    if (file.type !== "chunk") continue;
    // Comments, which the declarations have too, are half of what is loaded; names and lines stay for stacks.
    const { code } = await transform(file.code, { minifyWhitespace: true, lineLimit: 120, target });
    const path = join(folder, file.fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
};

/** The mock imports MSW with a top-level `await`, which CommonJS does not have. */
const bundledMsw: Plugin = {
  name: "bundled-msw",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/msw\.js$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, "msw-bundled.ts"),
    }));
  },
};

interface Bundle {
  /** Code in ES modules, by path. */
  readonly modules: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

const bundle = async (library: Library, folder: string): Promise<Bundle> => {
  const { name } = library;
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: inputsOf(library).map((entry) => `packages/${name}/src/${entry}.ts`),
    outbase: `packages/${name}/src`,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target,
    tsconfig: "tsconfig.build.json",
    define: definitionsOf(name),
    external: externalsOf(name)
      .filter((external) => !bundledInCommonJs.includes(external))
      .flatMap((external) => [external, `${external}/*`]),
    plugins: [bundledMsw],
    write: false,
    metafile: true,
  });
  return { modules: new Map(outputFiles.map(({ path, text }) => [path, text])), metafile };
};

const resolveAmong = (modules: ReadonlyMap<string, string>) => ({
  name: "bundled-paths",
  resolveId: (id: string, importer: string | undefined): string | undefined => {
    const path = importer === undefined ? id : join(dirname(importer), id);
    return modules.has(path) ? path : undefined;
  },
});
