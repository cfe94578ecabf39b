import type { Contract, JsonSchema, Operation } from "./contract.js";
import { comment, fieldComment } from "./sdk-docs.js";
import { header, queryName, schemaName } from "./sdk-names.js";

/** Named, flat interfaces of all component schemas and of the queries, so that a reader sees `Project`. */
export const generateTypes = (contract: Contract): string => {
  const write = typeWriter(contract);
  const parts = [header];
  for (const [name, schema] of Object.entries(contract.schemas)) {
    parts.push(write.declaration(schemaName(name, schema), schema));
  }
  for (const operation of contract.operations) {
    if (operation.queryParameters.length) parts.push(queryInterface(operation, contract, write));
  }
  const schemas = Object.entries(contract.schemas).map(
    ([name, schema]) => `  ${name}: ${schemaName(name, schema)};\n`,
  );
  parts.push(
    `/** All of them, by their name in the contract. */\nexport interface Schemas {\n${schemas.join("")}}\n`,
  );
  const queries = contract.operations
    .filter(({ queryParameters }) => queryParameters.length)
    .map(({ id }) => `  "${id}": ${queryName(id)};\n`);
  parts.push(
    `/** The query of every operation that has one. */\nexport interface Queries {\n${queries.join("")}}\n`,
  );
  return parts.join("\n");
};

const queryInterface = (operation: Operation, contract: Contract, write: TypeWriter): string => {
  const fields = operation.queryParameters.map(({ name, required, description, schema }) => {
    const text = comment(fieldComment(schema, contract.resolve, description), "  ");
    return `${text}  ${name}${required ? "" : "?"}: ${write.type(schema)};\n`;
  });
  const text = comment([`Query of \`${operation.id}\`.`]);
  return `${text}export interface ${queryName(operation.id)} {\n${fields.join("")}}\n`;
};

export interface TypeWriter {
  declaration(name: string, schema: JsonSchema): string;
  type(schema: JsonSchema, indent?: string): string;
  /** The fields of an object, one a line. */
  fields(schema: JsonSchema, indent: string): string;
}

export const typeWriter = ({ schemas, resolve }: Pick<Contract, "schemas" | "resolve">): TypeWriter => {
  const refName = ($ref: string): string => {
    const name = $ref.replace("#/components/schemas/", "");
    return schemaName(name, schemas[name]);
  };

  const type = (schema: JsonSchema, indent = ""): string => {
    if (schema.$ref !== undefined) return refName(schema.$ref);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const union = schema.oneOf ?? schema.anyOf;
    if (union) return union.map((member) => type(member, indent)).join(" | ");
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

  const fields = (schema: JsonSchema, indent: string): string => {
    const { properties = {}, required = [], additionalProperties } = schema;
    const lines = Object.entries(properties).map(([name, field]) => {
      const mark = required.includes(name) ? "" : "?";
      return `${comment(fieldComment(field, resolve), indent)}${indent}${name}${mark}: ${type(field, indent)};\n`;
    });
    if (additionalProperties) {
      const value = additionalProperties === true ? "unknown" : type(additionalProperties, indent);
      lines.push(`${indent}[key: string]: ${value};\n`);
    }
    return lines.join("");
  };

  const declaration = (name: string, schema: JsonSchema): string => {
    const text = comment(fieldComment({ ...schema, default: undefined }, resolve));
    const { type: kind, properties, additionalProperties } = flatten(schema, resolve);
    const isInterface = kind === "object" && (properties !== undefined || Boolean(additionalProperties));
    if (!isInterface) return `${text}export type ${name} = ${type(schema)};\n`;
    return `${text}export interface ${name} {\n${fields(flatten(schema, resolve), "  ")}}\n`;
  };

  return { declaration, type, fields };
};

/** An object with the fields of all its parts, so that a reader finds them in one place. */
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
