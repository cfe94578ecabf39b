import type { buildControlDocument } from "../../../packages/engine/src/http/control/control-document.js";
import { markdownTable } from "./markdown-table.js";

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  description?: string;
}

interface Operation {
  summary: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** Lists the routes of the control surface with the fields of their bodies and responses. */
export const controlSection = (document: ReturnType<typeof buildControlDocument>): string => {
  // The document is generated as plain objects; its tests check it against OpenAPI.
  const paths = document.paths;
  const schemas = document.components.schemas as Record<string, Schema>;
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "parameters")
      .map(([method, value]) => {
        const { summary, requestBody, responses } = value as Operation;
        const body = fieldsOf(requestBody?.content["application/json"]?.schema, schemas);
        const response = fieldsOf(responses["200"]?.content?.["application/json"]?.schema, schemas);
        return [`\`${method.toUpperCase()} ${path}\``, summary, body, response];
      }),
  );
  return markdownTable(["route", "what it does", "body", "response"], rows);
};

/** Returns the names of the fields of an object; optional ones end in `?`. */
const fieldsOf = (schema: Schema | undefined, schemas: Record<string, Schema>): string => {
  if (!schema) return "";
  const resolved = resolve(schema, schemas);
  if (resolved.items) {
    const items = fieldsOf(resolved.items, schemas);
    return items === "" ? "a list" : `a list of ${items}`;
  }
  const parts = resolved.allOf?.map((each) => resolve(each, schemas)) ?? [resolved];
  const names = parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name]) => `\`${name}${required.includes(name) ? "" : "?"}\``),
  );
  return names.join(", ");
};

const resolve = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(/^.*\//, "")] ?? schema);
