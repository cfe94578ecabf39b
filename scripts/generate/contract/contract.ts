import { type Config, bundle, loadConfig } from "@redocly/openapi-core";
import { fileURLToPath } from "node:url";
import { type RawErrorCode, addErrorExamples } from "./error-texts.js";
import type { Resources } from "./resource-declaration.js";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const entry = `${root}openapi/openapi.yaml`;

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  title?: string;
  default?: unknown;
  enum?: unknown[];
  /** Whether a newer service may have other values, so that the types of the SDK accept any text. */
  "x-extensible"?: boolean;
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  deprecated?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  if?: JsonSchema;
  else?: JsonSchema;
  examples?: unknown[];
  /** On a deprecated field: the name of its replacement. */
  "x-replaced-by"?: string;
  /** The field is a secret, which must not be in arguments, logs, debug output or validation issues. */
  "x-secret"?: boolean;
  /** In the published document: the default, which the keyword `default` contains in the contract. */
  "x-default"?: unknown;
  /** Beside a pattern: what it allows, in words. */
  "x-pattern-words"?: string;
  /** On id schemas: the kind of resource that the id identifies. */
  "x-id-kind"?: string;
  /** On id schemas: the optional prefix of the id. */
  "x-id-prefix"?: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  schema: JsonSchema;
  /** Names of the parameters that it cannot be combined with. */
  notWith: string[];
}

export interface ErrorResponse {
  status: number;
  codes: string[];
  description: string;
  /** Schema of the body. */
  schema: JsonSchema;
}

/** How the success body wraps its value: no body, `{ data }`, `{ data: [] }`, or the value itself. */
export type Envelope = "none" | "data" | "list" | "bare";

/** HTTP methods of the contract. Requests with other methods are not part of it. */
const methods = ["get", "post", "put", "patch", "delete"] as const;

/** HTTP methods as they are sent, in the order of the contract. */
export const httpMethods = methods.map((method) => method.toUpperCase() as Uppercase<typeof method>);

export interface Operation {
  /** Dotted name: `workspaces.serviceTokens.list`. */
  id: string;
  method: (typeof httpMethods)[number];
  path: string;
  tag: string;
  summary: string;
  description: string;
  origin: "documented" | "extended";
  deprecated: boolean;
  /** Id of the operation that replaces a deprecated one. */
  replacedBy: string | undefined;
  pathParameters: Parameter[];
  queryParameters: Parameter[];
  body: { required: boolean; schema: JsonSchema; examples: unknown[] } | undefined;
  success: {
    status: number;
    envelope: Envelope;
    /** Schema of the whole body. */
    schema: JsonSchema | undefined;
    /** Schema of the resource, or of one item of a list, without the envelope. */
    item: JsonSchema | undefined;
    /** Whether the list is paged: its `pagination` has a `nextCursor`. */
    paged: boolean;
  };
  errors: ErrorResponse[];
  /** Status for a resource of another workspace. */
  foreignStatus: 403 | 404;
  rateLimited: boolean;
  maxBodyBytes: number | undefined;
  /** `required`: an agent needs its sponsor's approval. `never`: agents cannot use the operation. */
  agentApproval: "required" | "never" | undefined;
  /** Fields of the body that an agent needs its sponsor's approval to change. */
  approvalFields: string[];
  /** Statuses of the codes of Prisma's Management API, where the operation has others than most. */
  publicErrorCodes: Readonly<Record<string, number>>;
}

export interface ErrorCode {
  code: string;
  status: number;
  crossCutting: boolean;
  description: string;
  /** Name of the component schema of the error body: `Error` unless the code adds fields. */
  schema: string;
  /** Names of the error's fields with the id of the existing resource, and with the property that both have in common. */
  conflict: { id: string; property: string } | undefined;
}

/** A kind of id, such as `project`. */
export interface IdKind {
  kind: string;
  /** Prefix with its underscore, such as `proj_`. */
  prefix: string;
  /** Regular expression of ids that are accepted with or without the prefix; undefined for ids that are only returned. */
  pattern: string | undefined;
}

export interface Contract {
  /** The bundled OpenAPI document, which has only internal references. */
  document: OpenApiDocument;
  operations: Operation[];
  errorCodes: ErrorCode[];
  idKinds: IdKind[];
  schemas: Record<string, JsonSchema>;
  /** Returns the schema that a `$ref` refers to, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema;
}

interface RawParameter {
  $ref?: string;
  name: string;
  in: "path" | "query";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
  "x-not-with"?: string[];
}
interface RawContent {
  "application/json"?: { schema: JsonSchema; examples?: Record<string, { value: unknown }> };
}
interface RawResponse {
  $ref?: string;
  description: string;
  content?: RawContent;
  "x-error-codes"?: string[];
}
interface RawOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: RawParameter[];
  requestBody?: { required?: boolean; content: RawContent };
  responses: Record<string, RawResponse>;
  "x-origin": "documented" | "extended";
  "x-replaced-by"?: string;
  "x-foreign-status"?: 403 | 404;
  "x-rate-limited"?: boolean;
  "x-max-body-bytes"?: number;
  "x-agent-approval"?: "required" | "never" | { fields: string[] };
  "x-public-error-codes"?: Record<string, number>;
}
export interface OpenApiDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, JsonSchema>; parameters: Record<string, RawParameter> };
  "x-resources"?: Resources;
  "x-error-codes": Record<string, RawErrorCode>;
  /** Statuses of the codes of Prisma's Management API. */
  "x-public-error-codes"?: Record<string, number>;
}

export const redocly = async (): Promise<Config> => loadConfig({ configPath: `${root}redocly.yaml` });

/** Bundles `openapi/` into one document and reads its operations. */
export const loadContract = async (): Promise<Contract> => {
  const { bundle: bundled } = await bundle({ ref: entry, config: await redocly() });
  // Redocly types a parsed document as unknown; the linter checks its shape.
  const document = bundled.parsed as OpenApiDocument;
  addErrorExamples(document);
  return readContract(document);
};

export const readContract = (document: OpenApiDocument): Contract => {
  const follow = <T extends object>(value: T & { $ref?: string }): T => {
    if (value.$ref === undefined) return value;
    const parts = value.$ref.replace("#/", "").split("/");
    let target: unknown = document;
    for (const part of parts) {
      target = (target as Record<string, unknown>)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    if (target === undefined) throw new Error(`The contract does not have ${value.$ref}`);
    return follow(target as T & { $ref?: string });
  };

  const errorCodes = Object.entries(document["x-error-codes"]).map(([code, entry]) => ({
    code,
    status: entry.status,
    crossCutting: entry["x-cross-cutting"] ?? false,
    description: entry.description,
    schema: entry.schema ?? "Error",
    conflict: entry.conflict,
  }));

  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      if (item[method] === undefined) continue;
      operations.push(readOperation(path, method, item[method] as RawOperation, follow));
    }
  }
  const { schemas } = document.components;
  return { document, operations, errorCodes, idKinds: readIdKinds(schemas), schemas, resolve: follow };
};

const readIdKinds = (schemas: Record<string, JsonSchema>): IdKind[] => {
  const kinds = new Map<string, IdKind>();
  for (const schema of Object.values(schemas).flatMap(withProperties)) {
    const { "x-id-kind": kind, "x-id-prefix": prefix, pattern } = schema;
    if (kind === undefined && prefix === undefined) continue;
    if (kind === undefined || prefix === undefined) {
      throw new Error(`x-id-kind and x-id-prefix must be used together: ${JSON.stringify(schema)}`);
    }
    if (pattern !== undefined && !pattern.startsWith(`^(${prefix})?`)) {
      throw new Error(`The pattern of ${kind} ids does not start with the optional prefix ${prefix}`);
    }
    const known = kinds.get(kind);
    if (known && known.prefix !== prefix) {
      throw new Error(`Ids of the kind ${kind} have the prefixes ${known.prefix} and ${prefix}`);
    }
    kinds.set(kind, { kind, prefix, pattern: known?.pattern ?? pattern });
  }
  return [...kinds.values()];
};

const withProperties = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...Object.values(schema.properties ?? {}).flatMap(withProperties),
];

const approvalOf = (
  approval: RawOperation["x-agent-approval"],
): Pick<Operation, "agentApproval" | "approvalFields"> =>
  typeof approval === "object"
    ? { agentApproval: undefined, approvalFields: approval.fields }
    : { agentApproval: approval, approvalFields: [] };

const readOperation = (
  path: string,
  method: (typeof methods)[number],
  raw: RawOperation,
  follow: <T extends object>(value: T & { $ref?: string }) => T,
): Operation => {
  const parameters = (raw.parameters ?? []).map((parameter) => {
    const { name, in: location, required = false, description = "", schema, ...more } = follow(parameter);
    return { name, in: location, required, description, schema, notWith: more["x-not-with"] ?? [] };
  });
  const responses = Object.entries(raw.responses).map(([status, response]) => ({
    status: Number(status),
    ...follow(response),
  }));
  const success = responses.find(({ status }) => status < 300);
  if (!success) throw new Error(`${raw.operationId} has no success response`);
  const schema = success.content?.["application/json"]?.schema;
  const body = raw.requestBody?.content["application/json"];

  return {
    id: raw.operationId,
    method: method.toUpperCase() as Uppercase<typeof method>,
    path,
    tag: raw.tags[0] ?? "",
    summary: raw.summary,
    description: (raw.description ?? "").trim(),
    origin: raw["x-origin"],
    deprecated: raw.deprecated ?? false,
    replacedBy: raw["x-replaced-by"],
    pathParameters: parameters.filter((parameter) => parameter.in === "path"),
    queryParameters: parameters.filter((parameter) => parameter.in === "query"),
    body: body && {
      required: raw.requestBody?.required ?? false,
      schema: body.schema,
      examples: Object.values(body.examples ?? {}).map(({ value }) => value),
    },
    success: { status: success.status, schema, ...readEnvelope(schema, follow) },
    errors: responses
      .filter(({ status }) => status >= 400)
      .map((response) => ({
        status: response.status,
        codes: response["x-error-codes"] ?? [],
        description: response.description,
        schema: response.content?.["application/json"]?.schema ?? {},
      })),
    foreignStatus: raw["x-foreign-status"] ?? 404,
    rateLimited: raw["x-rate-limited"] ?? false,
    maxBodyBytes: raw["x-max-body-bytes"],
    ...approvalOf(raw["x-agent-approval"]),
    publicErrorCodes: raw["x-public-error-codes"] ?? {},
  };
};

const readEnvelope = (
  schema: JsonSchema | undefined,
  follow: (schema: JsonSchema) => JsonSchema,
): { envelope: Envelope; item: JsonSchema | undefined; paged: boolean } => {
  if (schema === undefined) return { envelope: "none", item: undefined, paged: false };
  const { properties = {} } = follow(schema);
  const data = properties["data"];
  if (data === undefined) return { envelope: "bare", item: schema, paged: false };
  const pagination = properties["pagination"] && follow(properties["pagination"]);
  const paged = pagination?.properties?.["nextCursor"] !== undefined;
  const resolved = follow(data);
  return resolved.type === "array"
    ? { envelope: "list", item: resolved.items, paged }
    : { envelope: "data", item: data, paged };
};
