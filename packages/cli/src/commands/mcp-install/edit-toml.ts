import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import {
  ConfigProblem,
  type EditedConfig,
  type EntryValue,
  isEntry,
  isSameValue,
  detectNewline,
  type PresentEntry,
  type ServerEntry,
  serverName,
  splice,
  startsProgram,
} from "./config-entry.js";
import { byteOrderMark } from "../../text/byte-order-mark.js";

/** The table with all servers. */
const serversKey = "mcp_servers";
/** The path of keys to the entry. */
const entryPath: readonly string[] = [serversKey, serverName];

/**
 * Returns a configuration in TOML with another entry of the server. Only the text of the entry changes: the parser locates it, so
 * that comments and everything else stay as they are.
 *
 * @param entry if undefined, the entry is removed.
 * @throws ConfigProblem
 */
export const editToml = (fileText: string, entry: ServerEntry | undefined): EditedConfig => {
  const mark = fileText.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = fileText.slice(mark.length);
  try {
    const { text: newText, before } = editText(text, entry);
    return { text: newText === text ? fileText : `${mark}${newText}`, before };
  } catch (error) {
    throw error instanceof ConfigProblem
      ? new ConfigProblem(error.problem, error.offset + mark.length)
      : error;
  }
};

const editText = (text: string, entry: ServerEntry | undefined): EditedConfig => {
  const document = parse(text);
  const before = readServers(document)?.[serverName];
  if (before === undefined) return { text: entry ? addEntry(text, entry) : text, before };
  if (entry && startsProgram(before)) return { text: updateEntry(text, document, before, entry), before };
  const rest = removeEntry(text);
  return { text: entry ? addEntry(rest, entry) : rest, before };
};

/** Adds the entry as a table at the end, or into the value that has all servers. */
const addEntry = (text: string, entry: ServerEntry): string => {
  const inlineServers = listPairs(parse(text)).find(({ path }) => isSamePath(path, [serversKey]))?.node.value;
  if (inlineServers?.type === "TOMLInlineTable")
    return applyEdits(text, [
      addToInlineTable(text, inlineServers, `${serverName} = ${renderInlineTable(entry)}`),
    ]);
  return `${text}${chooseTableSeparator(text)}${renderTable(entry, detectNewline(text))}`;
};

/** Replaces the values that are different, and adds the keys that are missing behind the others. */
const updateEntry = (
  text: string,
  document: AST.TOMLTopLevelTable,
  before: PresentEntry,
  { required }: ServerEntry,
): string => {
  const pairs = listPairs(document);
  const changes = Object.entries(required).filter(([key, value]) => !isSameValue(before[key], value));
  const present = changes.flatMap(([key, value]) => {
    const pair = pairs.find(({ path }) => isSamePath(path, [...entryPath, key]));
    return pair ? [{ key, edit: toEdit(pair.node.value, renderValue(value)) }] : [];
  });
  const missing = changes.filter(([key]) => !present.some((change) => change.key === key));
  return applyEdits(text, [
    ...present.map(({ edit }) => edit),
    ...(missing.length === 0 ? [] : [addKeys(text, document, missing)]),
  ]);
};

/** Adds keys to the entry in the form that it has: a table, a value, or keys with dots. Otherwise it has only tables of its own. */
const addKeys = (
  text: string,
  document: AST.TOMLTopLevelTable,
  keys: readonly (readonly [string, EntryValue])[],
): TextEdit => {
  const newline = detectNewline(text);
  const lines = keys.map(([key, value]) => `${key} = ${renderValue(value)}`);
  const tables = findTables(document);
  const header = tables.find(({ resolvedKey }) => isSamePath(resolvedKey, entryPath));
  const insertAfter = (offset: number, newLines: readonly string[]): TextEdit => {
    const lineEnd = offset + (/^[^\r\n]*/.exec(text.slice(offset))?.[0].length ?? 0);
    return { start: lineEnd, end: lineEnd, text: newLines.map((line) => `${newline}${line}`).join("") };
  };
  if (header) return insertAfter(header.body.at(-1)?.range[1] ?? header.key.range[1] + 1, lines);
  const pairs = listPairs(document);
  const value = pairs.find(({ path }) => isSamePath(path, entryPath))?.node.value;
  if (value?.type === "TOMLInlineTable") return addToInlineTable(text, value, lines.join(", "));
  const dotted = findOwnPairs(document).at(-1);
  if (dotted) {
    const prefix = entryPath.slice(dotted.containerPath.length).join(".");
    const dottedLines = lines.map((line) => `${prefix}.${line}`);
    return dotted.container.type === "TOMLInlineTable"
      ? addToInlineTable(text, dotted.container, dottedLines.join(", "))
      : insertAfter(dotted.node.range[1], dottedLines);
  }
  const start = text.lastIndexOf("\n", Math.min(...tables.map(({ range }) => range[0])) - 1) + 1;
  return { start, end: start, text: [`[${entryPath.join(".")}]`, ...lines, "", ""].join(newline) };
};

const addToInlineTable = (text: string, table: AST.TOMLInlineTable, pairs: string): TextEdit => {
  const last = table.body.at(-1);
  return last
    ? { start: last.range[1], end: last.range[1], text: `, ${pairs}` }
    : toEdit(table, `{ ${pairs} }`);
};

/** Removes the entry with its lines, in whatever form it is written. The comments on them and above them stay. */
const removeEntry = (text: string): string => {
  const document = parse(text);
  const node = findOwnPairs(document).at(-1)?.node ?? findTables(document).at(-1);
  if (!node) return text;
  const edit =
    node.type === "TOMLKeyValue" && node.parent.type === "TOMLInlineTable"
      ? removeFromInlineTable(text, node)
      : removeLines(text, node.range, document.parent.comments);
  return removeEntry(applyEdits(text, [edit]));
};

const removeLines = (
  text: string,
  [rangeStart, rangeEnd]: AST.Range,
  comments: readonly AST.Comment[],
): TextEdit => {
  const start = text.lastIndexOf("\n", rangeStart - 1) + 1;
  const end = rangeEnd + (/^[^\r\n]*(?:\r?\n)?/.exec(text.slice(rangeEnd))?.[0].length ?? 0);
  const commentLines = comments
    .filter(({ range }) => range[0] >= start && range[1] <= end)
    .map(({ range }) => text.slice(...range).trimEnd() + detectNewline(text));
  if (commentLines.length > 0) return { start, end, text: commentLines.join("") };
  // An empty line above it separated it from the others.
  const emptyLines = /(?<=\n)(?:[ \t]*\r?\n)+$/.exec(text.slice(0, start))?.[0].length ?? 0;
  return { start: start - emptyLines, end, text: "" };
};

const removeFromInlineTable = (text: string, { range: [start, end] }: AST.TOMLKeyValue): TextEdit => {
  const commaAfter = /^[ \t]*,[ \t]*/.exec(text.slice(end))?.[0].length;
  if (commaAfter !== undefined) return { start, end: end + commaAfter, text: "" };
  const commaBefore = /,[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  return { start: start - commaBefore, end, text: "" };
};

interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const toEdit = ({ range: [start, end] }: { readonly range: AST.Range }, text: string): TextEdit => ({
  start,
  end,
  text,
});

/** The last edit first, so that the offsets of the others stay right. */
const applyEdits = (text: string, edits: readonly TextEdit[]): string =>
  edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((result, { start, end, text: replacement }) => splice(result, start, end, replacement), text);

const renderTable = (entry: ServerEntry, newline: string): string =>
  [`[${entryPath.join(".")}]`, ...renderPairs(entry), ""].join(newline);

const renderInlineTable = (entry: ServerEntry): string => `{ ${renderPairs(entry).join(", ")} }`;

const renderPairs = ({ required, initial }: ServerEntry): string[] =>
  Object.entries({ ...required, ...initial }).map(([key, value]) => `${key} = ${renderValue(value)}`);

/** Returns a value in TOML. A basic string of TOML has the same escapes as a string in JSON. */
const renderValue = (value: EntryValue): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

/** Returns the separator between a text and a table at its end: an empty line. */
const chooseTableSeparator = (text: string): string => {
  const newline = detectNewline(text);
  if (text.trim() === "") return "";
  if (/\n[ \t]*\r?\n$/.test(text)) return "";
  return text.endsWith("\n") ? newline : `${newline}${newline}`;
};

/** Codex reads TOML 1.0, in which less is allowed than in 1.1. */
const parse = (text: string): AST.TOMLTopLevelTable => {
  try {
    const [document] = parseTOML(text, { tomlVersion: "1.0" }).body;
    return document;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const { lineNumber, column, message } = error;
    const lines = text.split("\n").slice(0, lineNumber - 1);
    const lineStart = lines.reduce((length, line) => length + line.length + 1, 0);
    const problem = message.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    throw new ConfigProblem(problem, lineStart + column);
  }
};

const readServers = (document: AST.TOMLTopLevelTable): Record<string, PresentEntry> | undefined => {
  const value = (getStaticTOMLValue(document.parent) as Record<string, unknown>)[serversKey];
  if (value === undefined) return undefined;
  if (!isEntry(value))
    throw new ConfigProblem(`${serversKey} is not a table`, findTableOffset(document, [serversKey]));
  const entry = value[serverName];
  if (entry !== undefined && !isEntry(entry))
    throw new ConfigProblem(
      `${serversKey}.${serverName} is not a table`,
      findTableOffset(document, [serversKey]),
    );
  return value as Record<string, PresentEntry>;
};

/** A key and its value, and where it is. */
interface TomlPair {
  /** All keys from the root of the document. */
  readonly path: readonly string[];
  readonly node: AST.TOMLKeyValue;
  readonly container: AST.TOMLTopLevelTable | AST.TOMLTable | AST.TOMLInlineTable;
  /** The keys of the object that contains it. */
  readonly containerPath: readonly string[];
}

/** Returns the pairs of the document, including the pairs in the value of all servers, and in the value of the entry. */
const listPairs = (document: AST.TOMLTopLevelTable): TomlPair[] =>
  [document, ...document.body.filter((node) => node.type === "TOMLTable")].flatMap((table) =>
    listPairsIn(table, table.type === "TOMLTable" ? table.resolvedKey.map(String) : []),
  );

const listPairsIn = (container: TomlPair["container"], containerPath: readonly string[]): TomlPair[] =>
  [...container.body]
    .filter((node) => node.type === "TOMLKeyValue")
    .flatMap((node) => {
      const path = [...containerPath, ...getTablePath(node.key)];
      const leadsToEntry = isSamePath(path, entryPath.slice(0, path.length));
      const innerPairs =
        leadsToEntry && node.value.type === "TOMLInlineTable" ? listPairsIn(node.value, path) : [];
      return [{ path, node, container, containerPath }, ...innerPairs];
    });

/** Returns the pairs of the entry that are outside of its tables, and not in its value. */
const findOwnPairs = (document: AST.TOMLTopLevelTable): TomlPair[] =>
  listPairs(document).filter(
    ({ path, containerPath }) => isInEntry(path) && containerPath.length < entryPath.length,
  );

const isSamePath = (path: readonly (string | number)[], other: readonly string[]): boolean =>
  path.length === other.length && other.every((key, index) => path[index] === key);

const isInEntry = (path: readonly (string | number)[]): boolean =>
  isSamePath(path.slice(0, entryPath.length), entryPath);

/** Returns the tables of the entry: its own, and those below it. */
const findTables = (document: AST.TOMLTopLevelTable): AST.TOMLTable[] =>
  document.body
    .filter((node) => node.type === "TOMLTable")
    .filter(({ resolvedKey }) => isInEntry(resolvedKey));

/** Returns the offset of the first line that sets a key. */
const findTableOffset = (document: AST.TOMLTopLevelTable, path: readonly string[]): number => {
  const places = document.body.flatMap((node) =>
    node.type === "TOMLTable"
      ? [
          { path: node.resolvedKey.map(String), offset: node.range[0] },
          ...node.body.map((pair) => ({
            path: [...node.resolvedKey.map(String), ...getTablePath(pair.key)],
            offset: pair.range[0],
          })),
        ]
      : [{ path: getTablePath(node.key), offset: node.range[0] }],
  );
  const matches = (length: number): number | undefined =>
    places.find((place) => path.slice(0, length).every((key, index) => key === place.path[index]))?.offset;
  return matches(path.length) ?? matches(1) ?? 0;
};

const getTablePath = ({ keys }: AST.TOMLKey): string[] =>
  keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
