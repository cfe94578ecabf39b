import type { Contract, JsonSchema, OpenApiDocument } from "./contract.js";

/**
 * Returns the contract as other people's tools read it: in the package of the SDK, and at `GET /v1/doc`.
 *
 * - A field with a default has it in its description and as `x-default`. With the keyword `default`, several generators require
 *   the field in requests. Parameters keep `default`, which does not have this effect on them.
 * - The patterns of ids exclude all characters that must be escaped in a path, because tools invent ids from patterns, and not
 *   all of them escape. The server accepts more, but creates no id with such a character.
 * - Conditions declare the fields that they require, as Redocly recommends.
 * - Cursors have the default "", which is the first page: tools that fill in every parameter would invent a cursor.
 */
export const publishedDocument = ({ document }: Contract): OpenApiDocument => {
  const { components, ...rest } = structuredClone(document);
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, publish(schema)]);
  const parameters = Object.entries(components.parameters).map(([name, parameter]) => [
    name,
    parameter.name === "cursor" ? { ...parameter, schema: { ...parameter.schema, default: "" } } : parameter,
  ]);
  return {
    ...rest,
    components: {
      ...components,
      schemas: Object.fromEntries(schemas),
      parameters: Object.fromEntries(parameters),
    },
  };
};

const publish = (schema: JsonSchema): JsonSchema => {
  const { default: byDefault, ...published } = schema;
  if (byDefault !== undefined) {
    published.description = `${schema.description ?? ""} Default: \`${String(byDefault)}\`.`.trim();
    published["x-default"] = byDefault;
  }
  if (schema.pattern !== undefined && schema["x-id-prefix"] !== undefined) {
    published.pattern = `^(${schema["x-id-prefix"]})?([cC][0-9A-Za-z._~]{8,}|[0-9a-z]+)$`;
  }
  for (const keyword of ["not", "if", "else"] as const) {
    const condition = published[keyword];
    if (condition) published[keyword] = withDeclaredFields(condition);
  }
  const { properties, items, additionalProperties } = published;
  if (properties) {
    const changed = Object.entries(properties).map(([name, property]) => [name, publish(property)]);
    published.properties = Object.fromEntries(changed) as Record<string, JsonSchema>;
  }
  if (items) published.items = publish(items);
  if (typeof additionalProperties === "object")
    published.additionalProperties = publish(additionalProperties);
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = published[keyword];
    if (parts) published[keyword] = parts.map(publish);
  }
  return published;
};

const withDeclaredFields = (condition: JsonSchema): JsonSchema => {
  const { required, properties, anyOf } = condition;
  const undeclared = Object.fromEntries((required ?? []).map((name): [string, JsonSchema] => [name, {}]));
  return {
    ...condition,
    ...(required && { properties: { ...undeclared, ...properties } }),
    ...(anyOf && { anyOf: anyOf.map(withDeclaredFields) }),
  };
};
