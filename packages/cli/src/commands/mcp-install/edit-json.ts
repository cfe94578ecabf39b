import { type Node, type ParseError, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import {
  ConfigProblem,
  type EditedConfig,
  type EntryValue,
  isEntry,
  isSameValue,
  detectNewline,
  type ServerEntry,
  serverName,
  splice,
  startsProgram,
} from "./config-entry.js";
import { byteOrderMark } from "../../text/byte-order-mark.js";

export interface JsonFormat {
  /** The key of the object with all servers. */
  readonly serversKey: string;
  /** Whether the client reads JSON alone: neither comments nor trailing commas. */
  readonly isStrict: boolean;
}

/**
 * Returns a configuration in JSON with another entry of the server. Only the text of the entry changes: comments, order, indentation, line
 * endings and a byte order mark stay.
 *
 * @param entry if undefined, the entry is removed.
 * @throws ConfigProblem
 */
export const editJson = (
  fileText: string,
  { serversKey, isStrict }: JsonFormat,
  entry: ServerEntry | undefined,
): EditedConfig => {
  const mark = fileText.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = fileText.slice(mark.length);
  try {
    const { text: newText, before } = editText(text, serversKey, isStrict, entry);
    return { text: newText === text ? fileText : `${mark}${newText}`, before };
  } catch (error) {
    throw error instanceof ConfigProblem
      ? new ConfigProblem(error.problem, error.offset + mark.length)
      : error;
  }
};

const editText = (
  text: string,
  serversKey: string,
  isStrict: boolean,
  entry: ServerEntry | undefined,
): EditedConfig => {
  const root = parseRoot(text, isStrict);
  if (!root) {
    if (!entry) return { text, before: undefined };
    const document = renderJson(
      { [serversKey]: { [serverName]: toNewEntry(entry) } },
      "",
      "  ",
      detectNewline(text),
    );
    const separator = text.trim() === "" ? "" : detectNewline(text);
    return { text: `${text.trimEnd()}${separator}${document}${detectNewline(text)}`, before: undefined };
  }
  const servers = findValue(root, serversKey);
  if (!servers) {
    const newText = entry && insertProperty(text, root, serversKey, { [serverName]: toNewEntry(entry) });
    return { text: newText ?? text, before: undefined };
  }
  if (servers.type !== "object") throw new ConfigProblem(`${serversKey} is not an object`, servers.offset);
  const present = findValue(servers, serverName);
  if (!present) {
    return {
      text: entry ? insertProperty(text, servers, serverName, toNewEntry(entry)) : text,
      before: undefined,
    };
  }
  const before = toValue(present);
  if (!entry) return { text: removeProperty(text, servers, serverName), before };
  if (!isEntry(before) || !startsProgram(before))
    return { text: replaceValue(text, present, toNewEntry(entry)), before };
  let newText = text;
  for (const [key, value] of Object.entries(entry.required)) {
    if (isSameValue(before[key], value)) continue;
    // Each edit moves the text behind it.
    const target = requireEntry(parseRoot(newText, isStrict), serversKey);
    const current = findValue(target, key);
    newText = current ? replaceValue(newText, current, value) : insertProperty(newText, target, key, value);
  }
  return { text: newText, before };
};

const toNewEntry = ({ required, initial }: ServerEntry): Record<string, EntryValue> => ({
  ...required,
  ...initial,
});

/** Returns the outermost object, or undefined if the text has no value yet. */
const parseRoot = (text: string, isStrict: boolean): Node | undefined => {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: isStrict,
    allowTrailingComma: !isStrict,
    allowEmptyContent: true,
  });
  const [error] = errors;
  if (error) throw new ConfigProblem(describeError(text, error, isStrict), error.offset);
  if (root && root.type !== "object") throw new ConfigProblem("it is not a JSON object", root.offset);
  return root;
};

const describeError = (text: string, { error, offset }: ParseError, isStrict: boolean): string => {
  const code = printParseErrorCode(error);
  if (code === "InvalidCommentToken") return "it has a comment, which this client does not read";
  if (
    isStrict &&
    ["PropertyNameExpected", "ValueExpected"].includes(code) &&
    /^\s*[}\]]/.test(text.slice(offset))
  )
    return "it has a comma before a closing bracket, which this client does not read";
  return problemByCode[code] ?? "it is not JSON";
};

const problemByCode: Readonly<Record<string, string>> = {
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "it continues after its end",
  PropertyNameExpected: "the name of a property is missing",
  UnexpectedEndOfComment: "a comment has no end",
  UnexpectedEndOfString: "a string has no end",
  ValueExpected: "a value is missing",
};

const listProperties = ({
  children = [],
}: Node): { key: string; property: Node; value: Node | undefined }[] =>
  children.map((property) => {
    const [keyNode, value] = property.children ?? [];
    return { key: String(keyNode?.value), property, value };
  });

/** Returns the value of a property. Clients take the last of several with the same name, so that an edit of one would be no use. */
const findValue = (object: Node, key: string): Node | undefined => {
  const [first, second] = listProperties(object).filter((candidate) => candidate.key === key);
  if (second) throw new ConfigProblem(`it has ${JSON.stringify(key)} twice`, second.property.offset);
  return first?.value;
};

const requireEntry = (root: Node | undefined, serversKey: string): Node => {
  const servers = root && findValue(root, serversKey);
  const present = servers && findValue(servers, serverName);
  if (!present) throw new Error(`An edit has lost the entry in ${serversKey}`);
  return present;
};

const toValue = (node: Node): unknown => {
  if (node.type === "array") return (node.children ?? []).map(toValue);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries(listProperties(node).map(({ key, value }) => [key, value && toValue(value)]));
};

const computeEndOffset = ({ offset, length }: Node): number => offset + length;

const replaceValue = (text: string, node: Node, value: unknown): string =>
  splice(
    text,
    node.offset,
    computeEndOffset(node),
    renderJson(value, getIndentationAt(text, node.offset), detectIndentUnit(text), detectNewline(text)),
  );

/** Adds a property behind the others, which stay as they are, with the comments behind them. */
const insertProperty = (text: string, object: Node, key: string, value: unknown): string => {
  const newline = detectNewline(text);
  const unit = detectIndentUnit(text);
  const last = object.children?.at(-1);
  const outer = getIndentationAt(text, object.offset);
  const open = object.offset + 1;
  if (!last) {
    const indentation = `${outer}${unit}`;
    const property = `${newline}${indentation}${JSON.stringify(key)}: ${renderJson(value, indentation, unit, newline)}`;
    const isBlank = text.slice(open, computeEndOffset(object) - 1).trim() === "";
    return isBlank
      ? splice(text, open, computeEndOffset(object) - 1, `${property}${newline}${outer}`)
      : splice(text, open, open, property);
  }
  const isOnOneLine = !/[\r\n]/.test(text.slice(open, object.children?.[0]?.offset));
  const indentation = getIndentationAt(text, last.offset);
  const property = isOnOneLine
    ? ` ${JSON.stringify(key)}: ${renderOnOneLine(value)}`
    : `${newline}${indentation}${JSON.stringify(key)}: ${renderJson(value, indentation, unit, newline)}`;
  const trailingComma = findTrailingComma(text, computeEndOffset(last));
  const commaEnd = trailingComma === undefined ? computeEndOffset(last) : trailingComma + 1;
  const lineEnd = isOnOneLine ? commaEnd : commaEnd + measureRestOfLine(text.slice(commaEnd));
  const withProperty = splice(
    text,
    lineEnd,
    lineEnd,
    trailingComma === undefined ? property : `${property},`,
  );
  return trailingComma === undefined
    ? splice(withProperty, computeEndOffset(last), computeEndOffset(last), ",")
    : withProperty;
};

/** Removes a property, and one comma. Comments beside the property stay, and comments inside of it replace it. */
const removeProperty = (text: string, object: Node, key: string): string => {
  const properties = object.children ?? [];
  const index = listProperties(object).findIndex((candidate) => candidate.key === key);
  const [previous, property, next] = [properties[index - 1], properties[index], properties[index + 1]];
  if (!property) return text;
  const end = computeEndOffset(property);
  const comma = findTrailingComma(text, end);
  const commaBefore =
    comma === undefined && previous ? findTrailingComma(text, computeEndOffset(previous)) : undefined;
  const left = removeCharacter(text.slice(0, property.offset), commaBefore);
  const right = removeCharacter(text.slice(end), comma === undefined ? undefined : comma - end);
  const comments = listComments(text.slice(property.offset, end));
  const around =
    text.slice(object.offset + 1, property.offset) + text.slice(end, computeEndOffset(object) - 1);
  if (!previous && !next && comments.length === 0 && /^[\s,]*$/.test(around))
    return splice(text, object.offset, computeEndOffset(object), "{}");
  const newline = detectNewline(text);
  const indentation = getIndentationAt(text, property.offset);
  const commentLines = comments.map((comment) => `${comment}${newline}${indentation}`).join("");
  if (!/(?:^|\n)[ \t]*$/.test(left)) {
    const before = next ? left : left.trimEnd();
    const surplusSpaces = /[ \t]$/.test(before) ? /^[ \t]+/ : /^[ \t]+(?!\/)/;
    return `${before}${commentLines && ` ${commentLines}`}${right.replace(surplusSpaces, "")}`;
  }
  const [restOfLine] = /^[ \t]*\r?\n/.exec(right) ?? [];
  if (restOfLine === undefined) return `${left}${commentLines}${right.trimStart()}`;
  const lines = `${left}${commentLines}`.replace(/[ \t]+$/, "");
  // An empty line above the last property separated it from the others.
  const linesAbove = next ? lines : lines.replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1");
  return `${linesAbove}${right.slice(restOfLine.length)}`;
};

const removeCharacter = (text: string, offset: number | undefined): string =>
  offset === undefined ? text : splice(text, offset, offset + 1, "");

/** Returns the comments inside of a property. */
const listComments = (property: string): string[] => {
  const text = `{${property}}`;
  const comments: string[] = [];
  visit(text, { onComment: (offset, length) => comments.push(text.slice(offset, offset + length)) });
  return comments;
};

/** Returns the offset of a comma behind the last property. */
const findTrailingComma = (text: string, end: number): number | undefined => {
  const match = /^(?:\s|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*,/.exec(text.slice(end));
  return match ? end + match[0].length - 1 : undefined;
};

/** Returns the number of characters before the end of the line, if there is nothing in them but spaces and a comment, else 0. */
const measureRestOfLine = (text: string): number =>
  /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/[ \t]*)?(?=\r?\n)/.exec(text)?.[0].length ?? 0;

/** Returns the spaces at the start of the line of a character. */
const getIndentationAt = (text: string, offset: number): string =>
  /[^\r\n]*$/.exec(text.slice(0, offset))?.[0].match(/^[ \t]*/)?.[0] ?? "";

const detectIndentUnit = (text: string): string => /^(\t| {1,8})(?=\S)/m.exec(text)?.[1] ?? "  ";

/** Renders a value as configurations are usually written: objects on several lines, lists on one. */
const renderJson = (value: unknown, indentation: string, unit: string, newline: string): string => {
  if (!isEntry(value)) return renderOnOneLine(value);
  const innerIndentation = `${indentation}${unit}`;
  const lines = Object.entries(value).map(
    ([key, propertyValue]) =>
      `${innerIndentation}${JSON.stringify(key)}: ${renderJson(propertyValue, innerIndentation, unit, newline)}`,
  );
  return `{${newline}${lines.join(`,${newline}`)}${newline}${indentation}}`;
};

const renderOnOneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(renderOnOneLine).join(", ")}]`;
  if (!isEntry(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, propertyValue]) => `${JSON.stringify(key)}: ${renderOnOneLine(propertyValue)}`)
    .join(", ")} }`;
};
