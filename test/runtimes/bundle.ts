import { join } from "node:path";
import { type Metafile, build } from "esbuild";

export interface Bundle {
  code: string;
  /** Built-in modules that the bundle imports. */
  imports: string[];
  metafile: Metafile;
}

/** Bundles a program in the folder of the installed packages, for runtimes without Node.js modules. */
export const bundle = async (folder: string, source: string, conditions: string[] = []): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: folder, loader: "js" },
    absWorkingDir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    logLevel: "silent",
    ...(conditions.length > 0 && { conditions }),
  });
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external }) => external).map(({ path }) => path),
  );
  return { code: outputFiles[0]?.text ?? "", imports, metafile };
};

/** Returns the file of the installed packages that an import resolves to, relative to the folder. */
export const filesOf = ({ metafile }: Bundle, name: string): string[] =>
  Object.keys(metafile.inputs).filter((file) => file.startsWith(join("node_modules", name)));
