import type { Contract, JsonSchema } from "../contract/contract.js";

/** Returns the name of the component schema that a schema refers to. */
export const componentName = (schema: JsonSchema): string | undefined =>
  schema.$ref?.startsWith("#/components/schemas/") ? schema.$ref.split("/").at(-1) : undefined;

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);

const scalars: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** Returns the TypeScript type of valid values after defaults are applied. */
export const printType = (contract: Contract, schema: JsonSchema): string => {
  const name = componentName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const composed = schema.anyOf ?? schema.oneOf;
  if (composed) return [...new Set(composed.map((part) => printType(contract, part)))].join(" | ");
  if (schema.allOf) return schema.allOf.map((part) => printType(contract, part)).join(" & ");

  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length === 0) return "unknown";
  return types
    .map((type) => {
      if (type === "array") return `(${printType(contract, schema.items ?? {})})[]`;
      if (type === "object") return printObject(contract, schema);
      return scalars[type] ?? "unknown";
    })
    .join(" | ");
};

const printObject = (contract: Contract, schema: JsonSchema): string => {
  const { properties, required = [], additionalProperties } = schema;
  if (!properties) {
    const values =
      typeof additionalProperties === "object" ? printType(contract, additionalProperties) : "unknown";
    return `Record<string, ${values}>`;
  }
  const fields = Object.entries(properties).map(([name, property]) => {
    const present = required.includes(name) || contract.resolve(property).default !== undefined;
    return `${isIdentifier(name) ? name : JSON.stringify(name)}${present ? "" : "?"}: ${printType(contract, property)};`;
  });
  return `{ ${fields.join(" ")} }`;
};

/** Generates a named type for each component schema. Fields with a default are required. */
export const printSchemas = (contract: Contract): string =>
  Object.entries(contract.schemas)
    .map(([name, schema]) => `\nexport type ${name} = ${printType(contract, schema)};\n`)
    .join("");
