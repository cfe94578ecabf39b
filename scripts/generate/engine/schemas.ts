import type { Contract, JsonSchema } from "../contract/contract.js";
import { componentName } from "./types.js";

const assertions = new Set([
  "type",
  "enum",
  "const",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minProperties",
  "maxProperties",
  "minItems",
  "maxItems",
  "uniqueItems",
  "required",
]);

/** Returns the assertions of a schema, without annotations, extensions and nested schemas. */
const bareAssertions = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => assertions.has(keyword)));

const mapValues = (
  values: Record<string, JsonSchema> | undefined,
  change: (schema: JsonSchema) => JsonSchema,
): { properties?: Record<string, JsonSchema> } =>
  (values && {
    properties: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)])),
  }) ||
  {};

/** Returns a request schema without references, because ajv applies only defaults that are in place. */
export const requestSchema = (contract: Contract, schema: JsonSchema): JsonSchema => {
  const resolved = contract.resolve(schema);
  const inner = (part: JsonSchema): JsonSchema => requestSchema(contract, part);
  const plain: JsonSchema = {
    ...bareAssertions(resolved),
    ...(resolved.default !== undefined && { default: resolved.default }),
    ...mapValues(resolved.properties, inner),
    ...(resolved.items && { items: inner(resolved.items) }),
    ...(typeof resolved.additionalProperties === "boolean" && {
      additionalProperties: resolved.additionalProperties,
    }),
    ...(typeof resolved.additionalProperties === "object" && {
      additionalProperties: inner(resolved.additionalProperties),
    }),
  };
  if (resolved.allOf) return { ...plain, ...inner(merge(contract, resolved.allOf)) };
  if (resolved.anyOf) return { ...plain, ...nullable(resolved.anyOf.map(inner)) };
  if (resolved.oneOf) return { ...plain, ...discriminated(resolved.oneOf.map(inner)) };
  return plain;
};

/** Merges `X or null` into one schema with two types, so that findings are about X. */
const nullable = (branches: JsonSchema[]): JsonSchema => {
  const others = branches.filter((branch) => branch.type !== "null");
  const [only] = others;
  if (!only || others.length !== 1 || typeof only.type !== "string") return { anyOf: branches };
  return { ...only, type: [only.type, "null"], ...(only.enum && { enum: [...only.enum, null] }) };
};

/** Adds a discriminator to alternatives with a constant `type`, so that findings are about the matching one. */
const discriminated = (branches: JsonSchema[]): JsonSchema => {
  const isDiscriminated = branches.every(
    ({ properties, required }) => properties?.["type"]?.const !== undefined && required?.includes("type"),
  );
  if (!isDiscriminated) return { oneOf: branches };
  return {
    type: "object",
    required: ["type"],
    oneOf: branches,
    discriminator: { propertyName: "type" },
  } as JsonSchema;
};

/** Merges the parts of an `allOf` into one object schema. */
const merge = (contract: Contract, parts: JsonSchema[]): JsonSchema => {
  const merged: JsonSchema & { properties: Record<string, JsonSchema>; required: string[] } = {
    type: "object",
    properties: {},
    required: [],
  };
  for (const part of parts) {
    const resolved = contract.resolve(part);
    const whole = resolved.allOf ? merge(contract, resolved.allOf) : resolved;
    Object.assign(merged.properties, whole.properties);
    merged.required = [...new Set([...merged.required, ...(whole.required ?? [])])];
  }
  return merged;
};

/** Returns a response schema that does not allow additional fields, to detect deviations from the contract. */
export const responseSchema = (contract: Contract, schema: JsonSchema): JsonSchema => {
  const name = componentName(schema);
  return name === undefined ? close(contract, schema) : { $ref: `components#/$defs/${name}` };
};

/** Returns all component schemas without additional fields, by name. */
export const closedComponents = (contract: Contract): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(contract.schemas).map(([name, schema]) => [name, close(contract, schema)]),
  );

const close = (contract: Contract, schema: JsonSchema): JsonSchema => {
  const inner = (part: JsonSchema): JsonSchema => responseSchema(contract, part);
  if (schema.allOf) return close(contract, merge(contract, schema.allOf));
  const closed: JsonSchema = {
    ...bareAssertions(schema),
    ...mapValues(schema.properties, inner),
    ...(schema.items && { items: inner(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(inner) }),
  };
  if (typeof schema.additionalProperties === "object") {
    closed.additionalProperties = inner(schema.additionalProperties);
  } else if (schema.properties) {
    closed.additionalProperties = schema.additionalProperties ?? false;
  }
  return closed;
};
