import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { decode, encode, type SourceMapMappings, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import ts from "typescript";

/**
 * Writes the maps from bundled declarations to the sources, which editors need for "Go to Definition". The bundler moves
 * declarations but hardly changes their lines, so each line of a bundled declaration gets the segments of the same line of the
 * compiler's output. The maps of the bundler's plugin are too sparse: a method would lead to another method of its class.
 */

/** The start of the names of files with declarations of other packages, whose sources are not published. */
export const thirdPartyDeclarations = "third-party";

/** A top-level declaration, by the lines from its first keyword to its end. */
interface Declaration {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** A declaration of the compiler's output, with its map to the source. */
interface Original extends Declaration {
  readonly mappings: SourceMapMappings;
  /** Absolute path of the source. */
  readonly source: string;
}

/**
 * Writes a map beside each declaration file in a folder, except those of other packages.
 * @param folder the bundled declarations, in the folder of their package
 * @param emitted folders of the compiler's declarations that the bundle is made of, with a map beside each file
 */
export const writeDeclarationMaps = (folder: string, emitted: readonly string[]): void => {
  const originals = originalsIn(emitted);
  for (const file of declarationFilesIn(folder)) {
    const text = readFileSync(file, "utf8");
    const map = `${basename(file)}.map`;
    writeFileSync(join(dirname(file), map), mapOf(file, text, originals, folder));
    writeFileSync(file, `${text.trimEnd()}\n//# sourceMappingURL=${map}\n`);
  }
};

const declarationFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.d\.[cm]?ts$/.test(name) && !name.startsWith(thirdPartyDeclarations))
    .map((name) => join(folder, name));

const originalsIn = (emitted: readonly string[]): Map<string, Original[]> => {
  const originals = new Map<string, Original[]>();
  for (const file of emitted.flatMap(declarationFilesIn)) {
    const map: { sources: [string]; mappings: string } = JSON.parse(readFileSync(`${file}.map`, "utf8"));
    const origin = { mappings: decode(map.mappings), source: join(dirname(file), map.sources[0]) };
    for (const [name, declaration] of declarationsOf(file, readFileSync(file, "utf8"))) {
      originals.set(name, [...(originals.get(name) ?? []), { ...declaration, ...origin }]);
    }
  }
  return originals;
};

const declarationsOf = (file: string, text: string): [name: string, Declaration][] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const lines = text.split("\n");
  return source.statements.flatMap((statement) => {
    const firstLine = source.getLineAndCharacterOfPosition(statement.getStart(source)).line;
    const lastLine = source.getLineAndCharacterOfPosition(statement.end).line;
    const declaration = { firstLine, lines: lines.slice(firstLine, lastLine + 1) };
    return namesOf(statement).map((name): [string, Declaration] => [name, declaration]);
  });
};

const namesOf = (statement: ts.Statement): string[] => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  const isDeclaration =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isDeclaration && statement.name ? [statement.name.text] : [];
};

const mapOf = (
  file: string,
  text: string,
  originals: ReadonlyMap<string, Original[]>,
  folder: string,
): string => {
  const sources: string[] = [];
  const mappings: SourceMapSegment[][] = text.split("\n").map(() => []);
  for (const [name, { firstLine, lines }] of declarationsOf(file, text)) {
    // The bundler numbers declarations of the same name.
    const candidates = originals.get(name) ?? originals.get(name.replace(/\$\d+$/, "")) ?? [];
    const original = mostSimilar(lines, candidates);
    if (original === undefined) continue;
    const source = relative(dirname(file), packedSource(original.source, folder)).replaceAll("\\", "/");
    if (!sources.includes(source)) sources.push(source);
    for (const [index, line] of lines.entries()) {
      const segments = original.mappings[original.firstLine + index] ?? [];
      mappings[firstLine + index] = moved(
        segments,
        original.lines[index] ?? "",
        line,
        sources.indexOf(source),
      );
    }
  }
  return JSON.stringify({
    version: 3,
    file: basename(file),
    sourceRoot: "",
    sources,
    names: [],
    mappings: encode(mappings),
  });
};

/** Returns a source that is packed: the same one, or a copy of one that belongs to another package, in the folder of the build. */
const packedSource = (source: string, folder: string): string => {
  const owner = dirname(folder);
  if (source.startsWith(owner + sep)) return source;
  const copy = join(folder, relative(dirname(owner), source));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(source, copy);
  return copy;
};

const mostSimilar = (lines: readonly string[], candidates: readonly Original[]): Original | undefined => {
  const similarity = (candidate: Original): number =>
    lines.filter((line, index) => candidate.lines[index]?.endsWith(line)).length;
  return candidates
    .filter((candidate) => candidate.lines.length === lines.length)
    .sort((one, other) => similarity(other) - similarity(one))[0];
};

/** Moves the segments of a line to the same characters of the bundled line, in which words may differ. */
const moved = (
  segments: readonly SourceMapSegment[],
  original: string,
  to: string,
  source: number,
): SourceMapSegment[] => {
  // The bundler exports all names at the end of the file.
  const from = to.startsWith("export ") ? original : original.replace(/^export /, "");
  const removed = original.length - from.length;
  let prefix = 0;
  while (prefix < from.length && from[prefix] === to[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < from.length - prefix && from.at(-1 - suffix) === to.at(-1 - suffix)) suffix += 1;
  return segments.flatMap((segment): SourceMapSegment[] => {
    if (segment.length === 1) return [];
    const [generated, , line, sourceColumn] = segment;
    const column = generated - removed;
    if (column < 0) return [];
    if (column <= prefix) return [[column, source, line, sourceColumn]];
    if (column < from.length - suffix) return [];
    return [[column + to.length - from.length, source, line, sourceColumn]];
  });
};
