import { unknownFieldError } from "../errors/usage-errors.js";
import { findSimilar } from "../text/suggest.js";
import type { GeneratedCommand, Schema } from "../contract/generated-command.js";

/** Rejects fields that the result of an operation cannot have, before a request is sent. */
export const assertFields = async (
  definition: GeneratedCommand,
  fields: readonly string[],
): Promise<void> => {
  const { definitions, results } = await import("../contract/generated/schemas.js");
  const itemSchema = results[definition.id]?.item;
  if (itemSchema) assertFieldsOfSchema(itemSchema, fields, definitions);
};

/** Rejects fields that the result of a handwritten command cannot have. `schema` is the schema of the result, or of the list. */
export const assertPrintedFields = async (schema: Schema, fields: readonly string[]): Promise<void> => {
  const { definitions } = await import("../contract/generated/schemas.js");
  const itemSchema = (schema.type === "array" && schema.items) || schema;
  // A result without properties can have any.
  if (listFieldNames(itemSchema, [], definitions)?.length !== 0)
    assertFieldsOfSchema(itemSchema, fields, definitions);
};

const assertFieldsOfSchema = (
  itemSchema: Schema,
  fields: readonly string[],
  definitions: Readonly<Record<string, Schema>>,
): void => {
  for (const field of fields) {
    const names = field.split(".");
    for (const [index, name] of names.entries()) {
      const knownNames = listFieldNames(itemSchema, names.slice(0, index), definitions);
      if (knownNames === undefined || knownNames.includes(name)) continue;
      const parentNames = names.slice(0, index);
      const similarNames = findSimilar(name, knownNames).map((match) => [...parentNames, match].join("."));
      throw unknownFieldError(
        field,
        similarNames,
        knownNames.map((name) => [...parentNames, name].join(".")),
      );
    }
  }
};

/** Returns the names of the fields at a path, or undefined if there may be any. */
const listFieldNames = (
  schema: Schema,
  [name, ...deeperNames]: readonly string[],
  definitions: Readonly<Record<string, Schema>>,
): string[] | undefined => {
  const schemaParts = flattenSchema(schema, definitions);
  if (schemaParts.some(({ additionalProperties }) => typeof additionalProperties === "object"))
    return undefined;
  if (name === undefined) {
    return schemaParts.some(({ items }) => items)
      ? undefined
      : schemaParts.flatMap(({ properties = {} }) => Object.keys(properties));
  }
  const innerSchemas = schemaParts.flatMap(({ properties, items }): Schema[] => {
    const field = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined);
    return field ? [field] : [];
  });
  const nameLists = innerSchemas.map((schema) => listFieldNames(schema, deeperNames, definitions));
  return nameLists.includes(undefined) ? undefined : [...new Set(nameLists.flatMap((names) => names ?? []))];
};

/** Returns the schema and everything that it is composed of. */
const flattenSchema = (schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema[] => {
  const referencedSchema =
    schema.$ref === undefined ? undefined : definitions[schema.$ref.replace("#/$defs/", "")];
  const innerSchemas = [
    ...(referencedSchema ? [referencedSchema] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return [schema, ...innerSchemas.flatMap((part) => flattenSchema(part, definitions))];
};
