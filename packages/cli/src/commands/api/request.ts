import { secretInArgumentsError, usageError } from "../../errors/usage-errors.js";
import { parseJson } from "../../input/parse-value.js";
import type { InputSources } from "../../input/sources.js";
import { isObject } from "../../json/json-path.js";
import { formatSuggestion } from "../../text/suggest.js";
import { readFieldValue, buildObject, parseField, type FieldArgument } from "./fields.js";
import { methods } from "./methods.js";
import { parseRequestPath } from "./request-path.js";
import { groups } from "../../contract/generated/groups.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";

/** A request as the user typed it. */
export interface RequestArguments {
  readonly method: GeneratedCommand["method"];
  readonly path: string;
  readonly fields: readonly FieldArgument[];
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
  positionals: readonly string[],
  { rawField = [], field = [], input, header = [], paginate = false, method }: RequestFlags,
): RequestArguments => {
  if (method !== undefined && positionals.length > 1) {
    throw usageError("The method is set twice: by an argument and by -X", "Pass it once.");
  }
  const [methodOrPath = "", pathAfterMethod] = method === undefined ? positionals : [method, ...positionals];
  const fields = [
    ...rawField.map((fieldText) => parseField(fieldText, "-f")),
    ...field.map((fieldText) => parseField(fieldText, "-F")),
  ];
  const knownMethod = methods.find((name) => name === methodOrPath.toUpperCase());
  const request = { fields, input, headers: parseHeaders(header) };
  if (pathAfterMethod !== undefined) {
    if (knownMethod) return { ...request, method: knownMethod, path: pathAfterMethod };
    throw usageError(
      `The method cannot be ${JSON.stringify(methodOrPath)}`,
      `${formatSuggestion(
        methodOrPath,
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
      `Pass it before the path: mgmt api POST ${methodOrPath}, or mgmt api GET ${methodOrPath} for a query.`,
    );
  }
  return { ...request, method: "GET", path: methodOrPath };
};

const parseHeaders = (headers: readonly string[]): Record<string, string> => {
  const headersByName: Record<string, string> = {};
  for (const header of headers) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(header) ?? [];
    // The header is not repeated: it may be a secret.
    if (name === undefined) {
      throw usageError("-H needs the name and value of a header", "Pass -H 'name: value'.");
    }
    const lowerCaseName = name.toLowerCase();
    if (/^(proxy-)?authorization$|^cookie$/.test(lowerCaseName)) {
      throw secretInArgumentsError(`The header ${name}`, "Set MGMT_TOKEN, or pass --token-file PATH.");
    }
    if (forbiddenHeaders.includes(lowerCaseName)) {
      throw usageError(`The header ${name} cannot be set`, "It follows from the URL and the body.");
    }
    headersByName[lowerCaseName] = value;
  }
  return headersByName;
};

/** Headers that decide where a request ends and who receives it. */
const forbiddenHeaders: readonly string[] = [
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
  readonly method: GeneratedCommand["method"];
  /** Encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined means a request without a body. */
  readonly body: unknown;
  /** The names are in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** It is undefined if this version does not know it. */
  readonly operation: OperationMatch | undefined;
}

/** Reads the files of a request, and completes its query and body. Throws a usage error before anything is sent. */
export const resolveRequest = async (
  requestArguments: RequestArguments,
  baseUrl: string,
  sources: InputSources,
): Promise<ApiRequest> => {
  const { method, headers } = requestArguments;
  const { path, query } = parseRequestPath(requestArguments.path, baseUrl);
  const operation = await findOperation(method, path);
  const fieldValues: [FieldArgument, unknown][] = [];
  for (const field of requestArguments.fields)
    fieldValues.push([field, await readFieldCheckingSecrets(field, operation, sources)]);
  if (method !== "GET" && method !== "DELETE") {
    const body = await readBodyWithFields(requestArguments.input, fieldValues, sources);
    return { method, path, query, body, headers, operation };
  }
  if (requestArguments.input !== undefined) {
    throw usageError(`--input cannot be used with ${method}, which has no body`, "Pass fields with -f.");
  }
  for (const [field, value] of fieldValues) addToQuery(query, field, value);
  return { method, path, query, body: undefined, headers, operation };
};

/** Rejects a declared secret on the command line, where the process list shows it. */
const readFieldCheckingSecrets = (
  field: FieldArgument,
  operation: OperationMatch | undefined,
  sources: InputSources,
): Promise<unknown> => {
  const { path: fieldPath, key, flag, text } = field;
  const isSecret = operation?.definition.body?.fields.some(
    ({ secret, path: declaredPath }) => secret && declaredPath.join(".") === fieldPath.join("."),
  );
  if (!isSecret) return readFieldValue(field, sources);
  if (flag === "-F" && text.startsWith("@")) return sources.readSecret(text.slice(1), `-F ${key}`);
  throw secretInArgumentsError(
    `The field ${key}`,
    `Pass -F ${key}=@FILE (@- for standard input), or --input.`,
  );
};

const addToQuery = (
  query: URLSearchParams,
  { key, path: fieldPath, isItem }: FieldArgument,
  value: unknown,
): void => {
  if (fieldPath.length > 1 || value === null) {
    throw usageError(`The field ${key} cannot be in a query`, "A query has texts, numbers and booleans.");
  }
  if (isItem) query.append(key.replace("[]", ""), String(value));
  else query.set(key, String(value));
};

const readBodyWithFields = async (
  inputFile: string | undefined,
  fieldValues: readonly [FieldArgument, unknown][],
  sources: InputSources,
): Promise<unknown> => {
  const fields = buildObject(fieldValues);
  if (inputFile === undefined) return fieldValues.length > 0 ? fields : undefined;
  const body = await parseJson(inputFile === "-" ? "-" : `@${inputFile}`, "--input", sources);
  if (fieldValues.length === 0) return body;
  if (!isObject(body)) {
    throw usageError("Fields can only be added to a JSON object", "Leave out -f and -F, or change --input.");
  }
  return { ...body, ...fields };
};

/** The operation of a request, and its path parameters. */
interface OperationMatch {
  readonly definition: GeneratedCommand;
  readonly pathIds: Readonly<Record<string, string>>;
}

/** Finds the operation of a method and an encoded path. Returns undefined if this version does not know it. */
const findOperation = async (method: string, path: string): Promise<OperationMatch | undefined> => {
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const matches = definitions.flatMap((definition) => {
    const pathParameters =
      definition.method === method ? matchPathTemplate(definition.path, path) : undefined;
    return pathParameters ? [{ definition, pathIds: pathParameters }] : [];
  });
  // `/v1/regions/postgres` is a path of its own, even if `/v1/regions/{id}` matches too.
  return matches.sort(
    (left, right) => Object.keys(left.pathIds).length - Object.keys(right.pathIds).length,
  )[0];
};

const matchPathTemplate = (template: string, path: string): Record<string, string> | undefined => {
  const [templateSegments, segments] = [template.split("/"), path.split("/")];
  if (templateSegments.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of templateSegments.entries()) {
    const segment = segments[index] ?? "";
    const parameterName = /^\{(\w+)\}$/.exec(name)?.[1];
    if (parameterName !== undefined) parameters[parameterName] = decodeSegment(segment);
    else if (name !== segment) return undefined;
  }
  return parameters;
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
