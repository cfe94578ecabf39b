import { unknownField } from "../errors/usage-errors.js";
import { similar } from "../text/suggest.js";
import type { CommandDefinition, Schema } from "../contract/command-definition.js";

/** Refuses fields that the result of an operation cannot have, before a request is sent. */
export const assertFields = async (
  definition: CommandDefinition,
  fields: readonly string[],
): Promise<void> => {
  const { definitions, results } = await import("../contract/generated/schemas.js");
  const item = results[definition.id]?.item;
  if (!item) return;
  for (const field of fields) {
    const names = field.split(".");
    for (const [index, name] of names.entries()) {
      const known = namesAt(item, names.slice(0, index), definitions);
      if (known === undefined || known.includes(name)) continue;
      const start = names.slice(0, index);
      const meant = similar(name, known).map((match) => [...start, match].join("."));
      throw unknownField(
        field,
        meant,
        known.map((name) => [...start, name].join(".")),
      );
    }
  }
};

/** Returns the names of the fields at a path, or undefined if there may be any. */
const namesAt = (
  schema: Schema,
  [name, ...rest]: readonly string[],
  definitions: Readonly<Record<string, Schema>>,
): string[] | undefined => {
  const parts = partsOf(schema, definitions);
  if (parts.some(({ additionalProperties }) => typeof additionalProperties === "object")) return undefined;
  if (name === undefined) {
    return parts.some(({ items }) => items)
      ? undefined
      : parts.flatMap(({ properties = {} }) => Object.keys(properties));
  }
  const inner = parts.flatMap(({ properties, items }): Schema[] => {
    const field = properties?.[name] ?? (/^\d+$/.test(name) ? items : undefined);
    return field ? [field] : [];
  });
  const lists = inner.map((schema) => namesAt(schema, rest, definitions));
  return lists.includes(undefined) ? undefined : [...new Set(lists.flatMap((names) => names ?? []))];
};

/** Returns the schema and everything that it is composed of. */
const partsOf = (schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema[] => {
  const target = schema.$ref === undefined ? undefined : definitions[schema.$ref.replace("#/$defs/", "")];
  const inner = [
    ...(target ? [target] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return [schema, ...inner.flatMap((part) => partsOf(part, definitions))];
};
