import { transform } from "esbuild";
import ts from "typescript";
import type { TsupPlugin } from "./tsup-plugin.js";

/** esbuild writes the path of each module above its code. */
const headings = /^(?=\/\/ (?:packages|node_modules)\/)/m;
/**
 * Half of the code of the engine. No statement in it throws, so that no uncaught error prints one of its lines, and as much whitespace would
 * take milliseconds to load.
 */
const unread = "// packages/engine/src/generated/validators.js\n";

/**
 * Removes the comments of a bundle by esbuild, which are a third of what an import would read; the declarations and the packed
 * sources have them. Lines and names stay, because Node.js prints the line that threw an uncaught error.
 */
export const readableCode: TsupPlugin = {
  name: "readable-code",
  async renderChunk(bundle) {
    const modules = bundle
      .split(headings)
      .map((module) => (module.startsWith(unread) ? compact(module) : withoutComments(module)));
    return { code: (await Promise.all(modules)).join("") };
  },
};

const compact = async (code: string): Promise<string> =>
  (await transform(code, { minifyWhitespace: true, lineLimit: 120 })).code;

const withoutComments = (code: string): string => {
  const { outputText, diagnostics = [] } = ts.transpileModule(code, {
    fileName: "module.js",
    reportDiagnostics: true,
    compilerOptions: {
      removeComments: true,
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.Preserve,
      verbatimModuleSyntax: true,
      allowJs: true,
    },
  });
  if (diagnostics[0]) throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, "\n"));
  return outputText;
};
