import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles a program with the built packages, for a web page. */
export const bundleForPage = async (source: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "js" },
    // The root's tsconfig would resolve the packages to their sources.
    tsconfigRaw: {},
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const [file] = outputFiles;
  if (!file) throw new Error("There is no bundle");
  return file.text.replaceAll("</script", "<\\/script");
};
