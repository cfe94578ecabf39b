import { escapeSingleQuotes } from "../text/shell-word.js";
import { getAtPath } from "../json/json-path.js";
import { findConnectionString } from "./connection-string.js";
import { markerPattern } from "./log-commands.js";
import { secretMask } from "./mask.js";
import { toPlainText } from "./data-writers.js";
import { toPrintable } from "./printable.js";

const connectionStringVariable = "DATABASE_URL";

/**
 * Renders one resource as variables for a shell: `DATABASE_ID='db_…'`. Names start with the type of the resource, so that
 * they do not replace variables such as `USER`. DATABASE_URL is the connection string if the resource has one, and nothing else:
 * the URL of a resource in the API is `DATABASE_API_URL`, and masked secrets are left out.
 */
export const renderEnv = (value: unknown, isTerminal: boolean): string => {
  const type = getAtPath(value, ["type"]);
  const prefix = typeof type === "string" ? type : "mgmt";
  const url = findConnectionString(value);
  const variables = listLeaves(value, [prefix])
    .filter(([path, leaf]) => !(path.length === 2 && path[1] === "type") && leaf !== secretMask)
    .map(([path, leaf]) => [formatVariableName(path), toPlainText(leaf)] as const);
  return [...(url === undefined ? [] : [[connectionStringVariable, url] as const]), ...variables]
    .map(([name, text]) => {
      return `${name}=${quoteForShell(isTerminal ? toPrintable(text) : text)}\n`;
    })
    .join("");
};

/** Returns a string as a word of a shell. Ends and begins its quotes again inside anything that would be a command in a CI system's log. */
const quoteForShell = (text: string): string =>
  `'${escapeSingleQuotes(text)
    .replaceAll(markerPattern, "#''#")
    .replaceAll(/(?<=[\r\n\u0085\u2028\u2029])(?=[\s\u0085]*::)/g, "''")}'`;

const listLeaves = (value: unknown, path: readonly string[]): [path: readonly string[], leaf: unknown][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, propertyValue]) => listLeaves(propertyValue, [...path, name]))
    : [[path, value]];

/**
 * Returns the name of the variable for a field. A field `url`, which is the URL of a resource in the API, gets `API_URL`, because
 * `DATABASE_URL` means a connection string to other programs.
 */
const formatVariableName = (path: readonly string[]): string => {
  const name = path.map(toUpperSnakeCase).join("_");
  return path.at(-1) === "url" || name === connectionStringVariable ? name.replace(/URL$/, "API_URL") : name;
};

const toUpperSnakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/\W/g, "_")
    .toUpperCase();
