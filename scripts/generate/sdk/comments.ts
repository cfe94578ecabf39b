import type { Contract, ErrorCode, JsonSchema, Operation } from "../contract/contract.js";
import { codeClass, paramName, resourceClass, methodName, clientPath } from "./names.js";

/** Returns a documentation comment, or an empty string for an empty text. */
export const comment = (lines: string[], indent = ""): string => {
  const text = lines.join("\n").trim().replaceAll("*/", "*\\/");
  if (text === "") return "";
  if (!text.includes("\n") && text.length < 100) return `${indent}/** ${text} */\n`;
  const body = text.split("\n").flatMap((line) => wrap(line, 106 - indent.length));
  return [`${indent}/**`, ...body.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`, ""].join(
    "\n",
  );
};

/** Joins the lines of each paragraph and of each list item, but not the rows of a table. */
export const reflow = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) =>
      paragraph.startsWith("|") ? paragraph : paragraph.replaceAll(/\n(?!\s*(?:[-*]|\d+\.)\s)\s*/g, " "),
    )
    .join("\n\n");

/** Breaks a line between words, but not inside `code` or a link. Continuation lines of tags and list items are indented. */
const wrap = (line: string, width: number): string[] => {
  const words = line.match(/(?:\{@[^}]*\}|`[^`]*`|\S)+/g) ?? [""];
  const hanging = line.startsWith("@") || line.startsWith("- ") ? "  " : "";
  const lines: string[] = [];
  let current = "";
  for (const word of words) {
    if (current !== "" && current.length + 1 + word.length > width) {
      lines.push(current);
      current = hanging + word;
    } else {
      current = current === "" ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
};

/** Describes the default, bounds and format of a field in words. */
export const bounds = (schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): string => {
  const {
    minLength,
    maxLength,
    minimum,
    maximum,
    format,
    default: byDefault,
    ...rest
  } = flatten(schema, resolve);
  const said: string[] = [];
  if (byDefault !== undefined) said.push(`Default: \`${JSON.stringify(byDefault).replaceAll('"', "")}\`.`);
  if (minimum !== undefined && maximum !== undefined) said.push(`From ${minimum} to ${maximum}.`);
  else if (minimum !== undefined) said.push(`At least ${minimum}.`);
  else if (maximum !== undefined) said.push(`At most ${maximum}.`);
  if (minLength !== undefined && maxLength !== undefined)
    said.push(`${minLength} to ${maxLength} characters.`);
  else if (maxLength !== undefined) said.push(`At most ${maxLength} characters.`);
  else if (minLength !== undefined)
    said.push(`At least ${minLength} ${minLength === 1 ? "character" : "characters"}.`);
  if (format === "date-time") said.push("ISO 8601.");
  if (rest["x-secret"]) said.push("Secret: keep it out of logs.");
  return said.join(" ");
};

const flatten = (schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : { ...resolve(schema), ...schema };

/** Returns the lines of the comment of a field or parameter. */
export const fieldComment = (
  schema: JsonSchema,
  resolve: (schema: JsonSchema) => JsonSchema,
  description = flatten(schema, resolve).description ?? "",
): string[] => [[reflow(description.trim()), bounds(schema, resolve)].filter(Boolean).join(" ")];

/** Returns the `@deprecated` tag of a field, with a link to its replacement. */
export const successor = (
  schema: JsonSchema,
  name: string,
  interfaces: Readonly<Record<string, string>>,
): string[] => {
  if (!schema.deprecated) return [];
  const replacedBy = schema["x-replaced-by"] ?? "";
  const owner = interfaces[replacedBy];
  if (owner === undefined)
    throw new Error(
      `Deprecated ${name} is replaced by "${replacedBy}", which is not a field of the same schema`,
    );
  return [`@deprecated Use {@link ${owner}.${replacedBy} | ${replacedBy}}.`];
};

/** Returns the comment of the method of an operation: description, parameters, errors and replacement. */
export const operationComment = (
  operation: Operation,
  { errorCodes, operations, resolve }: Pick<Contract, "errorCodes" | "operations" | "resolve">,
): string[] => {
  const lines = [sentence(operation.summary)];
  if (operation.description && operation.description !== operation.summary)
    lines.push("", reflow(operation.description));
  lines.push("", `\`${operation.method} ${operation.path}\``);
  const parameters = operation.pathParameters.map(
    ({ name, description }) => `@param ${paramName(name)} ${description}`,
  );
  const body = operation.body && resolve(operation.body.schema).description;
  if (body) parameters.push(`@param body ${body.trim()}`);
  lines.push("", ...parameters, ...throwsOf(operation, errorCodes));
  if (operation.deprecated) lines.push(deprecation(operation, operations));
  return lines;
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const throwsOf = (operation: Operation, catalog: ErrorCode[]): string[] => {
  const own: string[] = [];
  const shared: string[] = [];
  for (const { status, codes } of operation.errors) {
    for (const code of codes) {
      const known = catalog.find((each) => each.code === code);
      if (!known) throw new Error(`${operation.id} lists ${code}, which is not in x-error-codes`);
      if (known.crossCutting) shared.push(`{@link ${codeClass(code)}}`);
      else own.push(`@throws {@link ${codeClass(code)}} ${status}: ${lowerFirst(known.description)}`);
    }
  }
  return shared.length
    ? [...own, `@throws Errors of all operations: ${[...new Set(shared)].join(", ")}.`]
    : own;
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns the `@deprecated` tag of a deprecated operation, with a link to its replacement. */
export const deprecation = ({ id, replacedBy }: Operation, operations: Operation[]): string => {
  if (replacedBy === undefined) return "@deprecated";
  if (!operations.some((each) => each.id === replacedBy)) {
    throw new Error(`${id} names ${replacedBy} as its replacement, which is not an operation`);
  }
  return `@deprecated Use {@link ${resourceClass(replacedBy)}.${methodName(replacedBy)} | ${clientPath(replacedBy)}}.`;
};
