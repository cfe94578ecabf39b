import { dirname, join } from "node:path/posix";
import { decode } from "@jridgewell/sourcemap-codec";
import ts from "typescript";

/** A name that a declaration file declares: a top-level declaration, or a member of one. */
interface DeclaredName {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly isTopLevel: boolean;
}

const namesIn = (text: string): DeclaredName[] => {
  const source = ts.createSourceFile("declarations.d.ts", text, ts.ScriptTarget.Latest, true);
  const names: DeclaredName[] = [];
  const visit = (node: ts.Node): void => {
    const isDeclaration =
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(node.parent)) ||
      ts.isPropertySignature(node) ||
      ts.isMethodSignature(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isPropertyDeclaration(node);
    if (isDeclaration && node.name && ts.isIdentifier(node.name)) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.name.getStart(source));
      const isTopLevel =
        ts.isSourceFile(node.parent) ||
        (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent));
      names.push({ name: node.name.text, line, column: character, isTopLevel });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
};

/**
 * Follows the map of a declaration file from each declared name to the source.
 * @param file path of the declaration file
 * @param read reads a file of the same package
 * @returns the names, with the source text to which each one leads, if it leads anywhere
 */
export const followNames = (
  file: string,
  read: (path: string) => string,
): { name: string; isTopLevel: boolean; leadsTo: string | undefined }[] => {
  const map: { sources: string[]; mappings: string } = JSON.parse(read(`${file}.map`));
  const mappings = decode(map.mappings);
  const sources = map.sources.map((source) => read(join(dirname(file), source)).split("\n"));
  return namesIn(read(file)).map(({ name, line, column, isTopLevel }) => {
    const segment = mappings[line]?.find(([generated]) => generated === column);
    if (segment === undefined || segment.length === 1) return { name, isTopLevel, leadsTo: undefined };
    const text = sources[segment[1]]?.[segment[2]] ?? "";
    return { name, isTopLevel, leadsTo: text.slice(segment[3]) };
  });
};
