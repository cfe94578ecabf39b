import { isObject } from "../json-path.js";
import { didYouMean } from "../program/suggest.js";

/** The part of JSON Schema that the schema of a manifest uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns what is wrong with a value, with the path of each problem. */
export const checkSchema = (schema: Schema, value: unknown, path: readonly string[] = []): Problem[] => {
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return checkUnion(union, value, path);
  const problem = (message: string): Problem[] => [{ path, message }];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.includes(typeOf(value))) {
    const allowed = types.filter((type) => type !== "null").map((type) => nouns[type] ?? type);
    const found = nouns[typeOf(value)];
    return problem(
      `must be ${allowed.join(" or ")}, ${found === undefined ? "but has no value" : `not ${found}`}`,
    );
  }
  if (schema.const !== undefined && value !== schema.const) {
    return problem(`must be ${JSON.stringify(schema.const)}`);
  }
  if (schema.enum && !schema.enum.includes(value))
    return problem(`must be one of: ${schema.enum.join(", ")}`);
  if (typeof value === "string") return checkText(schema, value).flatMap(problem);
  return isObject(value) ? checkObject(schema, value, path) : [];
};

/** Types as they are called in YAML, which most manifests are. */
const nouns: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  string: "a string",
};

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const checkText = ({ pattern, minLength = 0, maxLength = Infinity }: Schema, text: string): string[] => {
  // JSON Schema counts characters, not UTF-16 code units.
  const { length } = [...text];
  if (length < minLength) return ["must not be empty"];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  return pattern !== undefined && !new RegExp(pattern, "u").test(text) ? [`must match ${pattern}`] : [];
};

const checkObject = (schema: Schema, value: Record<string, unknown>, path: readonly string[]): Problem[] => {
  const { properties = {}, required = [], propertyNames, additionalProperties = true } = schema;
  const known = Object.keys(properties);
  const missing = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path, message: `must have ${name}` }));
  const others = Object.entries(value).flatMap(([name, inner]): Problem[] => {
    const here = [...path, name];
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared) return checkSchema(declared, inner, here);
    if (additionalProperties === false) {
      const message = `is not known here. ${didYouMean(name, known)}Allowed: ${known.join(", ")}`;
      return [{ path: here, message }];
    }
    const names = propertyNames
      ? checkText(propertyNames, name).map((message) => ({ path: here, message: `as a key ${message}` }))
      : [];
    return names.length > 0 || additionalProperties === true
      ? names
      : checkSchema(additionalProperties, inner, here);
  });
  return [...missing, ...others];
};

/** Returns the problems with the alternative that was probably meant: the one whose constants match. */
const checkUnion = (union: readonly Schema[], value: unknown, path: readonly string[]): Problem[] => {
  const results = union.map((schema) => ({ schema, problems: checkSchema(schema, value, path) }));
  if (results.some(({ problems }) => problems.length === 0)) return [];
  const meant = results.filter(({ schema }) => hasConstants(schema, value));
  const [first, ...others] = meant.length > 0 ? meant : results;
  if (!first) return [];
  if (others.length === 0) return first.problems;
  const tags = union.map((schema) => schema.properties?.["type"]?.const).filter((tag) => tag !== undefined);
  const sameType = results.find(({ schema }) => [schema.type].flat().includes(typeOf(value)));
  if (tags.length === 0) return (sameType ?? first).problems;
  return [{ path, message: `must have a type, one of: ${tags.join(", ")}` }];
};

const hasConstants = ({ properties = {} }: Schema, value: unknown): boolean => {
  const constants = Object.entries(properties).filter(([, each]) => each.const !== undefined);
  return (
    constants.length > 0 && isObject(value) && constants.every(([name, each]) => value[name] === each.const)
  );
};
