import type { CheckedSchema } from "../json/schema-problems.js";
import { findSchemaProblems } from "../json/schema-problems.js";
import { invalidArgumentsError } from "../errors/mcp-errors.js";
import { isObject } from "../json/json-path.js";
import type { InputSchema } from "./operation-tool.js";
import type { ToolArguments } from "./tool.js";

/** Arguments of the tools that write a secret into an env file. */
export const envArguments: Readonly<Record<string, CheckedSchema>> = {
  envFile: { type: "string", minLength: 1, maxLength: 1_024 },
  envName: { type: "string", minLength: 1, maxLength: 128 },
};

export const dryRunArgument: Readonly<Record<string, CheckedSchema>> = { dryRun: { type: "boolean" } };

/** An argument of calls that are carried out once: another value makes another call. */
export const againArgument: Readonly<Record<string, CheckedSchema>> = {
  again: { type: "string", minLength: 1, maxLength: 128 },
};

/** Returns a schema with more properties. */
export const extendSchema = (
  schema: InputSchema,
  ...properties: readonly Readonly<Record<string, CheckedSchema>>[]
): InputSchema => ({ ...schema, properties: Object.assign({}, schema.properties, ...properties) });

/** Throws `mcp:invalid_arguments` for arguments that a tool does not have, and for values that it does not accept. */
export const assertArguments = (tool: string, schema: InputSchema, args: ToolArguments): void => {
  const problems = findSchemaProblems({ ...schema, additionalProperties: false }, args);
  if (problems.length === 0) return;
  const lines = problems.slice(0, 5).map(({ path, message }) => [path.join("."), message].join(" ").trim());
  throw invalidArgumentsError(tool, lines);
};

/**
 * Normalizes arguments to their schema: some clients send null for an omitted argument, and JSON text for an object.
 */
export const normalizeArguments = (schema: InputSchema, args: ToolArguments): ToolArguments =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      if (property === undefined || findSchemaProblems(property, value).length === 0) return [[name, value]];
      if (value === null && !schema.required?.includes(name)) return [];
      return [[name, parseObject(value) ?? value]];
    }),
  );

const parseObject = (value: unknown): object | undefined => {
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Returns a schema as a client sees it: without the parts that only messages need, because every tool costs its client as many tokens as its schema
 * has, and without unions, for which some clients reject all tools.
 */
export const toListedSchema = (schema: CheckedSchema): object => simplify(schema);

const simplify = (schema: CheckedSchema): CheckedSchema => {
  const {
    pattern: _p,
    patternErrorMessage: _m,
    minLength: _n,
    maxLength: _x,
    format: _f,
    oneOf,
    anyOf = oneOf,
    ...listed
  } = schema;
  if (anyOf) return mergeAlternatives(anyOf.map(simplify));
  const { properties, additionalProperties, ...others } = listed;
  return {
    ...others,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, propertySchema]) => [name, simplify(propertySchema)]),
      ),
    }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: simplify(additionalProperties),
    }),
  };
};

/** Returns one schema that accepts all that its alternatives accept. */
const mergeAlternatives = (alternatives: readonly CheckedSchema[]): CheckedSchema => {
  const others = alternatives.filter(({ type }) => type !== "null");
  const [first = {}] = others;
  const merged = others.every(({ type }) => type === "object") ? mergeObjects(others) : first;
  return others.length === alternatives.length
    ? merged
    : { ...merged, type: [...[merged.type ?? []].flat(), "null"] };
};

const mergeObjects = (schemas: readonly CheckedSchema[]): CheckedSchema => {
  const names = [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const required = names.filter((name) => schemas.every((schema) => schema.required?.includes(name)));
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => {
        const versions = schemas.flatMap(({ properties }) => properties?.[name] ?? []);
        const constants = versions.flatMap((version) => version.const ?? []);
        const [first = {}] = versions;
        return [name, constants.length > 1 ? { type: first.type ?? "string", enum: constants } : first];
      }),
    ),
    ...(required.length > 0 && { required }),
  };
};
