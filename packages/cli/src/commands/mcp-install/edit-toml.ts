import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import {
  byteOrderMark,
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

/** The table with all servers. */
const serversKey = "mcp_servers";

/**
 * Returns a configuration in TOML with another entry of the server. Only the text of the entry changes: the parser says where it is, so
 * that comments and everything else stay as they are.
 *
 * @param entry Undefined removes the entry.
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
  const servers = readServers(document);
  const before = servers?.[serverName];
  const tables = findTables(document, serverName);
  const [header] = tables;
  if (before === undefined) {
    if (!entry) return { text, before };
    const inlineServers = servers && findInlineServers(document);
    if (inlineServers) throw inlineProblem(serversKey, inlineServers);
    return { text: `${text}${chooseTableSeparator(text)}${renderTable(entry, detectNewline(text))}`, before };
  }
  if (header?.resolvedKey.length !== 2) throw inlineProblem(`${serversKey}.${serverName}`, document);
  if (!entry) return { text: removeTables(text, tables), before };
  if (!startsProgram(before)) {
    const rest = removeTables(text, tables);
    return { text: `${rest}${chooseTableSeparator(rest)}${renderTable(entry, detectNewline(text))}`, before };
  }
  return { text: updateTable(text, header, before, entry), before };
};

/** Replaces the values that are different, and adds the keys that are missing behind the others. */
const updateTable = (
  text: string,
  table: AST.TOMLTable,
  before: PresentEntry,
  { required }: ServerEntry,
): string => {
  const newline = detectNewline(text);
  const edits = Object.entries(required)
    .filter(([key, value]) => !isSameValue(before[key], value))
    .map(([key, value]) => {
      const current = table.body.find((pair) => getTablePath(pair.key).join(".") === key);
      if (current)
        return { start: current.value.range[0], end: current.value.range[1], text: renderValue(value) };
      const end = table.body.at(-1)?.range[1] ?? table.key.range[1] + 1;
      const lineEnd = end + (/^[^\r\n]*/.exec(text.slice(end))?.[0].length ?? 0);
      return { start: lineEnd, end: lineEnd, text: `${newline}${key} = ${renderValue(value)}` };
    });
  // The last first, so that the places of the others stay.
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: replacement }) => splice(result, start, end, replacement), text);
};

/** Removes tables with their lines. Comments above them stay. */
const removeTables = (text: string, tables: readonly AST.TOMLTable[]): string =>
  tables
    .toSorted((a, b) => b.range[0] - a.range[0])
    .reduce((result, { range: [start, end] }) => {
      const lineStart = result.lastIndexOf("\n", start - 1) + 1;
      const lineRest = /^[^\r\n]*(?:\r?\n)?/.exec(result.slice(end))?.[0].length ?? 0;
      const before = result.slice(0, lineStart).replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1");
      return `${before}${result.slice(end + lineRest)}`;
    }, text);

const renderTable = ({ required, initial }: ServerEntry, newline: string): string =>
  [
    `[${serversKey}.${serverName}]`,
    ...Object.entries({ ...required, ...initial }).map(([key, value]) => `${key} = ${renderValue(value)}`),
    "",
  ].join(newline);

/** Returns a value in TOML. A basic string of TOML has the same escapes as a string in JSON. */
const renderValue = (value: EntryValue): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

/** Returns what to write between a text and a table at its end: an empty line. */
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
    throw new ConfigProblem(`${serversKey} is not a table`, offsetOf(document, [serversKey]));
  const entry = value[serverName];
  if (entry !== undefined && !isEntry(entry))
    throw new ConfigProblem(`${serversKey}.${serverName} is not a table`, offsetOf(document, [serversKey]));
  return value as Record<string, PresentEntry>;
};

/** Returns the tables of a server, its own first. */
const findTables = (document: AST.TOMLTopLevelTable, name: string): AST.TOMLTable[] =>
  document.body
    .filter((node): node is AST.TOMLTable => node.type === "TOMLTable")
    .filter(({ resolvedKey }) => resolvedKey[0] === serversKey && resolvedKey[1] === name)
    .toSorted((a, b) => a.resolvedKey.length - b.resolvedKey.length);

/** Returns the document if all servers are in one value, which a table cannot be added to. */
const findInlineServers = (document: AST.TOMLTopLevelTable): AST.TOMLTopLevelTable | undefined =>
  document.body.some(
    (node) => node.type === "TOMLKeyValue" && getTablePath(node.key).join(".") === serversKey,
  )
    ? document
    : undefined;

const inlineProblem = (label: string, document: AST.TOMLTopLevelTable): ConfigProblem =>
  new ConfigProblem(
    `${label} is written without a table, such as [${serversKey}.${serverName}], of its own`,
    offsetOf(document, label.split(".")),
  );

/** Returns the offset of the first line that says something about a key. */
const offsetOf = (document: AST.TOMLTopLevelTable, path: readonly string[]): number => {
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
