import { isObject } from "./json-path.js";
import { formatSuggestion } from "../text/suggest.js";

/** The part of JSON Schema that the schemas of manifests and request bodies use. */
export interface CheckedSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  /** The message about a string that does not match the pattern. */
  readonly patternErrorMessage?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, CheckedSchema>>;
  readonly propertyNames?: CheckedSchema;
  readonly additionalProperties?: boolean | CheckedSchema;
  readonly oneOf?: readonly CheckedSchema[];
  readonly anyOf?: readonly CheckedSchema[];
}

/** A rule of a schema that a value breaks. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns the problems of a value, each with its path. */
export const findSchemaProblems = (
  schema: CheckedSchema,
  value: unknown,
  path: readonly string[] = [],
): SchemaProblem[] => {
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return findUnionProblems(union, value, path);
  const createProblems = (message: string): SchemaProblem[] => [{ path, message }];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    const allowedTypes = types.filter((type) => type !== "null").map((type) => nounByType[type] ?? type);
    const actualType = nounByType[getJsonType(value)];
    return createProblems(
      `must be ${allowedTypes.join(" or ")}, ${actualType === undefined ? "but has no value" : `not ${actualType}`}`,
    );
  }
  if (schema.const !== undefined && value !== schema.const) {
    return createProblems(`must be ${JSON.stringify(schema.const)}`);
  }
  if (schema.enum && !schema.enum.includes(value))
    return createProblems(
      `must be one of: ${schema.enum.join(", ")}${formatSuggestionSuffix(value, schema.enum)}`,
    );
  if (typeof value === "string") return findTextProblems(schema, value).flatMap(createProblems);
  if (typeof value === "number") return findRangeProblems(schema, value).flatMap(createProblems);
  return isObject(value) ? findObjectProblems(schema, value, path) : [];
};

/** Types as they are called in YAML, which most manifests are. */
const nounByType: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "an object",
  string: "a string",
};

const getJsonType = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

/** Returns the allowed values that are similar, as a sentence that follows a message. */
const formatSuggestionSuffix = (value: unknown, allowedValues: readonly unknown[]): string => {
  const suggestion =
    typeof value === "string" ? formatSuggestion(value, allowedValues.map(String)).trim() : "";
  return suggestion === "" ? "" : `. ${suggestion}`;
};

const isOfType = (type: string, value: unknown): boolean =>
  type === "integer" ? Number.isSafeInteger(value) : type === getJsonType(value);

const findRangeProblems = (
  { minimum = -Infinity, maximum = Infinity }: CheckedSchema,
  value: number,
): string[] => {
  if (value < minimum) return [`must be at least ${minimum}`];
  return value > maximum ? [`must be at most ${maximum}`] : [];
};

const findTextProblems = (
  { pattern, patternErrorMessage, minLength = 0, maxLength = Infinity }: CheckedSchema,
  value: string,
): string[] => {
  // JSON Schema counts characters, not UTF-16 code units.
  const { length } = [...value];
  if (length < minLength) return ["must not be empty"];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  if (pattern === undefined || new RegExp(pattern, "u").test(value)) return [];
  return [patternErrorMessage ?? `must match ${pattern}`];
};

const findObjectProblems = (
  schema: CheckedSchema,
  value: Record<string, unknown>,
  path: readonly string[],
): SchemaProblem[] => {
  const { properties = {}, required = [], propertyNames, additionalProperties = true } = schema;
  const allowedNames = Object.keys(properties);
  const missingProblems = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path, message: `must have ${name}` }));
  const memberProblems = Object.entries(value).flatMap(([name, propertyValue]): SchemaProblem[] => {
    const memberPath = [...path, name];
    const propertySchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (propertySchema) return findSchemaProblems(propertySchema, propertyValue, memberPath);
    if (additionalProperties === false) {
      const message = `is not known here. ${formatSuggestion(name, allowedNames)}Allowed: ${allowedNames.join(", ")}`;
      return [{ path: memberPath, message }];
    }
    const keyProblems = propertyNames
      ? findTextProblems(propertyNames, name).map((message) => ({
          path: memberPath,
          message: `as a key ${message}`,
        }))
      : [];
    return keyProblems.length > 0 || additionalProperties === true
      ? keyProblems
      : findSchemaProblems(additionalProperties, propertyValue, memberPath);
  });
  return [...missingProblems, ...memberProblems];
};

/** Returns the problems with the alternative that was probably meant: the one whose constants match. */
const findUnionProblems = (
  union: readonly CheckedSchema[],
  value: unknown,
  path: readonly string[],
): SchemaProblem[] => {
  const results = union.map((schema) => ({ schema, problems: findSchemaProblems(schema, value, path) }));
  if (results.some(({ problems }) => problems.length === 0)) return [];
  const likelyResults = results.filter(({ schema }) => hasConstants(schema, value));
  const [firstResult, ...otherResults] = likelyResults.length > 0 ? likelyResults : results;
  if (!firstResult) return [];
  if (otherResults.length === 0) return firstResult.problems;
  const tags = union.map((schema) => schema.properties?.["type"]?.const).filter((tag) => tag !== undefined);
  const resultOfSameType = results.find(({ schema }) => [schema.type].flat().includes(getJsonType(value)));
  if (tags.length === 0) return (resultOfSameType ?? firstResult).problems;
  const tag = isObject(value) ? value["type"] : undefined;
  return tag === undefined
    ? [{ path, message: `must have a type, one of: ${tags.join(", ")}` }]
    : [
        {
          path: [...path, "type"],
          message: `must be one of: ${tags.join(", ")}${formatSuggestionSuffix(tag, tags)}`,
        },
      ];
};

const hasConstants = ({ properties = {} }: CheckedSchema, value: unknown): boolean => {
  const constants = Object.entries(properties).filter(([, property]) => property.const !== undefined);
  return (
    constants.length > 0 &&
    isObject(value) &&
    constants.every(([name, property]) => value[name] === property.const)
  );
};
