import { type Form, bodyForms, queryForms } from "../contract/combinations.js";
import type { Contract, JsonSchema, Operation } from "../contract/contract.js";
import { sentSchemas } from "../contract/sent-schemas.js";
import { comment, fieldComment, successor } from "./comments.js";
import { ensureTypes } from "./ensure.js";
import { type Field, formName, printField, printForms } from "./forms.js";
import { header, queryName, schemaName } from "./names.js";

/** Generates named, flat interfaces of all component schemas and queries. */
export const generateTypes = (contract: Contract): string => {
  const write = typeWriter(contract);
  const inputs = sentSchemas(contract);
  const writeInput = typeWriter(contract, true);
  const parts = [header];
  for (const [name, schema] of Object.entries(contract.schemas)) {
    parts.push((inputs.has(name) ? writeInput : write).declaration(schemaName(name, schema), schema));
  }
  for (const operation of contract.operations) {
    if (operation.queryParameters.length) parts.push(queryInterface(operation, contract, write));
  }
  parts.push(...ensureTypes(contract));
  const schemas = Object.entries(contract.schemas).map(
    ([name, schema]) => `  ${name}: ${schemaName(name, schema)};\n`,
  );
  parts.push(
    `/** All schemas, by their name in the contract. */\nexport interface Schemas {\n${schemas.join("")}}\n`,
  );
  const queries = contract.operations
    .filter(({ queryParameters }) => queryParameters.length)
    .map(({ id }) => `  "${id}": ${queryName(id)};\n`);
  parts.push(`/** Query parameters, by operation. */\nexport interface Queries {\n${queries.join("")}}\n`);
  return parts.join("\n");
};

const queryInterface = (operation: Operation, contract: Contract, write: TypeWriter): string => {
  const fields = operation.queryParameters.map(({ name, required, description, schema }) => {
    const text = fieldComment(schema, contract.resolve, description);
    return { name, required, type: write.type(schema), text, isInput: true };
  });
  const text = comment([`Query parameters of \`${operation.id}\`.`]);
  return printInterface(queryName(operation.id), text, fields, queryForms(operation.queryParameters));
};

const printInterface = (name: string, text: string, fields: Field[], forms: Form[]): string => {
  if (forms.length > 0) return printForms(name, text, fields, forms);
  const lines = fields.map((field) => printField(field, "  "));
  return `${text}export interface ${name} {\n${lines.join("")}}\n`;
};

export interface TypeWriter {
  declaration(name: string, schema: JsonSchema): string;
  type(schema: JsonSchema, indent?: string): string;
  /** Prints the fields of an object, one per line. */
  fields(schema: JsonSchema, indent: string): string;
}

/** @param isInput whether programs send the values. */
export const typeWriter = (
  { schemas, resolve }: Pick<Contract, "schemas" | "resolve">,
  isInput = false,
): TypeWriter => {
  const refName = ($ref: string): string => {
    const name = $ref.replace("#/components/schemas/", "");
    return schemaName(name, schemas[name]);
  };

  const type = (schema: JsonSchema, indent = ""): string => {
    if (schema.$ref !== undefined) return refName(schema.$ref);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) {
      const values = schema.enum.map((value) => JSON.stringify(value));
      // Editors complete the known values, and any other text compiles.
      return [...values, ...(schema["x-extensible"] ? ["(string & {})"] : [])].join(" | ");
    }
    const union = schema.oneOf ?? schema.anyOf;
    if (union) return [...new Set(union.map((member) => type(member, indent)))].join(" | ");
    if (schema.allOf) return schema.allOf.map((member) => type(member, indent)).join(" & ");
    const kinds = Array.isArray(schema.type) ? schema.type : [schema.type];
    return kinds.map((kind) => plainType(kind, schema, indent)).join(" | ");
  };

  const plainType = (kind: string | undefined, schema: JsonSchema, indent: string): string => {
    switch (kind) {
      case "string":
      case "boolean":
      case "null":
        return kind;
      case "number":
      case "integer":
        return "number";
      case "array": {
        const item = type(schema.items ?? {}, indent);
        return /[ |&]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
      }
      case "object":
        return objectType(schema, indent);
      default:
        return "unknown";
    }
  };

  const objectType = (schema: JsonSchema, indent: string): string => {
    const inner = fields(schema, `${indent}  `);
    return inner === "" ? "Record<string, never>" : `{\n${inner}${indent}}`;
  };

  const fieldsOf = (
    schema: JsonSchema,
    indent: string,
    interfaces: Readonly<Record<string, string>> = {},
  ): Field[] => {
    const { properties = {}, required = [], additionalProperties } = schema;
    const fields = Object.entries(properties).map(([name, field]) => ({
      name,
      required: required.includes(name),
      type: type(field, indent),
      text: [...fieldComment(field, resolve), ...successor(field, name, interfaces)],
      isInput,
    }));
    if (!additionalProperties) return fields;
    const value = additionalProperties === true ? "unknown" : type(additionalProperties, indent);
    return [...fields, { name: "[key: string]", required: true, type: value, text: [], isInput }];
  };

  const fields = (schema: JsonSchema, indent: string): string =>
    fieldsOf(schema, indent)
      .map((field) => printField(field, indent))
      .join("");

  const declaration = (name: string, schema: JsonSchema): string => {
    const text = comment(fieldComment({ ...schema, default: undefined }, resolve));
    const flat = flatten(schema, resolve);
    const { type: kind, properties = {}, additionalProperties } = flat;
    const isInterface = kind === "object" && (flat.properties !== undefined || Boolean(additionalProperties));
    if (!isInterface) return `${text}export type ${name} = ${type(schema)};\n`;
    const forms = bodyForms(flat);
    const interfaces = Object.fromEntries(
      Object.keys(properties).map((field) => {
        const form = forms.find(({ open }) => open.has(field));
        return [field, form ? formName(name, form) : forms.length > 0 ? `${name}Fields` : name];
      }),
    );
    return printInterface(name, text, fieldsOf(flat, "  ", interfaces), forms);
  };

  return { declaration, type, fields };
};

/** Merges the parts of an `allOf` into one object. */
const flatten = (schema: JsonSchema, resolve: Contract["resolve"]): JsonSchema => {
  if (schema.allOf === undefined) return schema;
  const parts = schema.allOf.map((part) => flatten(resolve(part), resolve));
  if (parts.some((part) => part.type !== "object")) return schema;
  const flat: JsonSchema = { ...schema, type: "object", properties: {}, required: [] };
  for (const part of parts) {
    flat.properties = { ...flat.properties, ...part.properties };
    flat.required = [...(flat.required ?? []), ...(part.required ?? [])];
  }
  return flat;
};
