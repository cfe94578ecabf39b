import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { floors } from "./lint/floors.js";
import {
  type FolderImport,
  importsBetweenFolders,
  leadsUpward,
  sourcesOf,
  twoWayPairs,
} from "./lint/folder-imports.js";
import { allPackageFolders } from "./packages.mjs";

/** `npm run structure` prints the size of each package, and which of its folders import each other. */

/** What the sources of a package look like. Folders are those of `src`; its own files count as a folder with that name. */
export interface Structure {
  /** Number of files, and of their lines. */
  readonly files: number;
  readonly lines: number;
  /** The files and lines in folders with the name `generated`, which the numbers above do not count. */
  readonly generatedFiles: number;
  readonly generatedLines: number;
  /** Folders that import another, such as `request → errors`, with the number of imports. */
  readonly arrows: ReadonlyMap<string, number>;
  /** The arrows to a folder that the order of folders places higher; undefined for a package without an order. */
  readonly upward: readonly string[] | undefined;
  /** Folders that import each other, such as `errors ↔ request`. */
  readonly twoWayPairs: readonly string[];
  /** Exported types and classes whose names end in `World` or `Engine`. */
  readonly worldsAndEngines: readonly string[];
}

/**
 * Reads the sources of a package.
 * @param owner absolute path of the package
 * @param order the folders of the package, the highest first. Default: none.
 */
export const structureOf = (owner: string, order?: readonly string[]): Structure => {
  const texts = new Map(sourcesOf(owner).map((file) => [file, readFileSync(file, "utf8")]));
  const generated = [...texts].filter(([file]) => isGenerated(file));
  const written = [...texts].filter(([file]) => !isGenerated(file));
  const imports = importsBetweenFolders(owner);
  const arrows = new Map<string, number>();
  for (const each of imports) arrows.set(arrowOf(each), (arrows.get(arrowOf(each)) ?? 0) + 1);
  return {
    files: written.length,
    lines: linesIn(written),
    generatedFiles: generated.length,
    generatedLines: linesIn(generated),
    arrows,
    upward: order && [...new Set(imports.filter((each) => leadsUpward(each, order)).map(arrowOf))],
    twoWayPairs: twoWayPairs(imports),
    worldsAndEngines: written
      .flatMap(([file, text]) => exportedTypesIn(file, text))
      .filter((name) => /(?:World|Engine)$/.test(name))
      .sort(),
  };
};

const arrowOf = ({ from, to }: FolderImport): string => `${from} → ${to}`;

const isGenerated = (file: string): boolean => /[\\/]generated[\\/]/.test(file);

const linesIn = (files: readonly (readonly [file: string, text: string])[]): number =>
  files.reduce((sum, [, text]) => sum + text.trimEnd().split("\n").length, 0);

/** Returns the types and classes that a file declares and exports. */
const exportedTypesIn = (file: string, text: string): string[] =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const declaresType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement);
    const isExported =
      declaresType && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported && statement.name ? [statement.name.text] : [];
  });

/** Prints a structure under the name of its package. */
export const printStructure = (name: string, structure: Structure): string => {
  const { files, lines, generatedFiles, generatedLines, arrows, upward } = structure;
  const list = (title: string, entries: readonly string[]): string[] => [
    `  ${title}: ${String(entries.length)}`,
    ...entries.map((entry) => `    ${entry}`),
  ];
  const countOf = (arrow: string): string => String(arrows.get(arrow) ?? 0);
  const withCount = (arrow: string): string => `${arrow}: ${countOf(arrow)}`;
  const pairWithCounts = (pair: string): string => {
    const [one = "", other = ""] = pair.split(" ↔ ");
    return `${pair}: ${countOf(`${one} → ${other}`)} one way, ${countOf(`${other} → ${one}`)} the other`;
  };
  return [
    name,
    `  files: ${String(files)}, and ${String(generatedFiles)} generated`,
    `  lines: ${String(lines)}, and ${String(generatedLines)} generated`,
    `  folder arrows: ${String(arrows.size)}`,
    ...(upward ? list("arrows upward", upward.map(withCount)) : ["  arrows upward: no order of folders"]),
    ...list("two-way folder pairs", structure.twoWayPairs.map(pairWithCounts)),
    ...list("names that end in World or Engine", structure.worldsAndEngines),
  ].join("\n");
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packages = fileURLToPath(new URL("../packages/", import.meta.url));
  const reports = allPackageFolders.map((name) =>
    printStructure(name, structureOf(join(packages, name), floors[name])),
  );
  console.log(reports.join("\n\n"));
}
