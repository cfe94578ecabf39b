import { secretInArguments, usageError } from "../../errors/usage-errors.js";
import { parseJson } from "../../input/parse-value.js";
import type { Sources } from "../../input/sources.js";
import { isObject } from "../../json/json-path.js";
import { didYouMean } from "../../text/suggest.js";
import { fieldValue, objectOf, parseField, type TypedField } from "./fields.js";
import { methods } from "./methods.js";
import { readPath } from "./path.js";
import { groups } from "../../contract/generated/groups.js";
import type { CommandDefinition } from "../../contract/command-definition.js";

/** A request as the user typed it. */
export interface TypedRequest {
  readonly method: CommandDefinition["method"];
  readonly path: string;
  readonly fields: readonly TypedField[];
  readonly input: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestFlags {
  readonly rawField?: readonly string[];
  readonly field?: readonly string[];
  readonly input?: string;
  readonly header?: readonly string[];
  readonly paginate?: boolean;
  readonly method?: string;
}

/** Parses the arguments and flags of a request. Throws a usage error. */
export const parseRequest = (
  words: readonly string[],
  { rawField = [], field = [], input, header = [], paginate = false, method }: RequestFlags,
): TypedRequest => {
  if (method !== undefined && words.length > 1) {
    throw usageError("The method is set twice: by an argument and by -X", "Pass it once.");
  }
  const [first = "", second] = method === undefined ? words : [method, ...words];
  const fields = [
    ...rawField.map((typed) => parseField(typed, "-f")),
    ...field.map((typed) => parseField(typed, "-F")),
  ];
  const knownMethod = methods.find((name) => name === first.toUpperCase());
  const request = { fields, input, headers: parseHeaders(header) };
  if (second !== undefined) {
    if (knownMethod) return { ...request, method: knownMethod, path: second };
    throw usageError(
      `The method cannot be ${JSON.stringify(first)}`,
      `${didYouMean(
        first,
        methods.map((name) => name.toLowerCase()),
      )}Allowed: ${methods.join(", ")}.`,
    );
  }
  if (knownMethod) {
    throw usageError(
      "The path of the request is missing",
      `For example: mgmt api ${knownMethod} /v1/projects. mgmt operations lists all paths.`,
    );
  }
  // Guessing POST could create something where the user meant to filter a list.
  if ((fields.length > 0 || input !== undefined) && !paginate) {
    throw usageError(
      "The method of a request with fields is missing",
      `Pass it before the path: mgmt api POST ${first}, or mgmt api GET ${first} for a query.`,
    );
  }
  return { ...request, method: "GET", path: first };
};

const parseHeaders = (headers: readonly string[]): Record<string, string> => {
  const parsed: Record<string, string> = {};
  for (const header of headers) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(header) ?? [];
    // The header is not repeated: it may be a secret.
    if (name === undefined) {
      throw usageError("-H needs the name and value of a header", "Pass -H 'name: value'.");
    }
    const lower = name.toLowerCase();
    if (/^(proxy-)?authorization$|^cookie$/.test(lower)) {
      throw secretInArguments(`The header ${name}`, "Set MGMT_TOKEN, or pass --token-file PATH.");
    }
    if (fixedHeaders.includes(lower)) {
      throw usageError(`The header ${name} cannot be set`, "It follows from the address and the body.");
    }
    parsed[lower] = value;
  }
  return parsed;
};

/** Headers that decide where a request ends and who receives it. */
const fixedHeaders: readonly string[] = [
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
  "te",
  "trailer",
];

/** A request that is ready to be sent. */
export interface ApiRequest {
  readonly method: CommandDefinition["method"];
  /** Encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined for a request without a body. */
  readonly body: unknown;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if this version does not know it. */
  readonly operation: FoundOperation | undefined;
}

/** Reads the files of a request, and completes its query and body. Throws a usage error before anything is sent. */
export const readRequest = async (
  typed: TypedRequest,
  baseUrl: string,
  sources: Sources,
): Promise<ApiRequest> => {
  const { method, headers } = typed;
  const { path, query } = readPath(typed.path, baseUrl);
  const operation = await findOperation(method, path);
  const values: [TypedField, unknown][] = [];
  for (const field of typed.fields) values.push([field, await readField(field, operation, sources)]);
  if (method !== "GET" && method !== "DELETE") {
    const body = await readBody(typed.input, values, sources);
    return { method, path, query, body, headers, operation };
  }
  if (typed.input !== undefined) {
    throw usageError(`--input cannot be used with ${method}, which has no body`, "Pass fields with -f.");
  }
  for (const [field, value] of values) addToQuery(query, field, value);
  return { method, path, query, body: undefined, headers, operation };
};

/** Refuses a declared secret on the command line, where the process list shows it. */
const readField = (
  field: TypedField,
  operation: FoundOperation | undefined,
  sources: Sources,
): Promise<unknown> => {
  const { path, key, flag, text } = field;
  const isSecret = operation?.definition.body?.fields.some(
    ({ secret, path: declared }) => secret && declared.join(".") === path.join("."),
  );
  if (!isSecret) return fieldValue(field, sources);
  if (flag === "-F" && text.startsWith("@")) return sources.readSecret(text.slice(1), `-F ${key}`);
  throw secretInArguments(`The field ${key}`, `Pass -F ${key}=@FILE (@- for standard input), or --input.`);
};

const addToQuery = (query: URLSearchParams, { key, path, isItem }: TypedField, value: unknown): void => {
  if (path.length > 1 || value === null) {
    throw usageError(`The field ${key} cannot be in a query`, "A query has texts, numbers and booleans.");
  }
  if (isItem) query.append(key.replace("[]", ""), String(value));
  else query.set(key, String(value));
};

const readBody = async (
  input: string | undefined,
  values: readonly [TypedField, unknown][],
  sources: Sources,
): Promise<unknown> => {
  const fields = objectOf(values);
  if (input === undefined) return values.length > 0 ? fields : undefined;
  const body = await parseJson(input === "-" ? "-" : `@${input}`, "--input", sources);
  if (values.length === 0) return body;
  if (!isObject(body)) {
    throw usageError("Fields can only be added to a JSON object", "Leave out -f and -F, or change --input.");
  }
  return { ...body, ...fields };
};

/** The operation of a request, and its path parameters. */
interface FoundOperation {
  readonly definition: CommandDefinition;
  readonly target: Readonly<Record<string, string>>;
}

/** Finds the operation of a method and an encoded path. Returns undefined if this version does not know it. */
const findOperation = async (method: string, path: string): Promise<FoundOperation | undefined> => {
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const matches = definitions.flatMap((definition) => {
    const target = definition.method === method ? parametersOf(definition.path, path) : undefined;
    return target ? [{ definition, target }] : [];
  });
  // `/v1/regions/postgres` is a path of its own, even if `/v1/regions/{id}` matches too.
  return matches.sort((a, b) => Object.keys(a.target).length - Object.keys(b.target).length)[0];
};

const parametersOf = (template: string, path: string): Record<string, string> | undefined => {
  const [names, segments] = [template.split("/"), path.split("/")];
  if (names.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? "";
    const parameter = /^\{(\w+)\}$/.exec(name)?.[1];
    if (parameter !== undefined) parameters[parameter] = decoded(segment);
    else if (name !== segment) return undefined;
  }
  return parameters;
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
