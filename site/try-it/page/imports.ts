import { parser } from "@lezer/javascript";
import { type Failure, type ImportedName, type Program, providedModules } from "../messages.js";

/** Returns the program with the names of the modules that it imports, or why it cannot run. */
export const readProgram = (source: string): Program | Failure => {
  const lineAt = (position: number): number => source.slice(0, position).split("\n").length;
  const imports: ImportedName[] = [];
  let mistake: number | undefined;
  parser.parse(source).iterate({
    enter: ({ name, type, from, to, node }) => {
      if (type.isError) mistake ??= from;
      if (name === "String" && isModuleName(node))
        imports.push({ from, to, name: source.slice(from + 1, to - 1) });
    },
  });
  const unknown = imports.find(({ name }) => !providedModules.some((each) => each === name));
  if (!unknown) return { source, imports, ...(mistake !== undefined && { mistakeAt: lineAt(mistake) }) };
  return {
    name: "ImportError",
    code: "try-it:unknown_module",
    message: `The program imports ${JSON.stringify(unknown.name)}, which this page does not have`,
    hint: `Import from ${providedModules.join(" or ")}. Programs that import other modules run in Node.js`,
    line: lineAt(unknown.from),
  };
};

type Node = Parameters<
  NonNullable<Parameters<ReturnType<typeof parser.parse>["iterate"]>[0]["enter"]>
>[0]["node"];

/** Whether a string is the name in `import … from`, `export … from`, or `import()`. */
const isModuleName = ({ parent, prevSibling }: Node): boolean => {
  switch (parent?.name) {
    case "ImportDeclaration":
      return true;
    case "ExportDeclaration":
      return prevSibling?.name === "from";
    case "DynamicImport":
      return prevSibling?.name === "(";
    default:
      return false;
  }
};
