import {
  type Contract,
  type JsonSchema,
  type Operation,
  type Parameter,
  httpMethods,
} from "../contract/contract.js";
import { printType } from "./types.js";

/** Generates the types of operations. */
export const printShapes = (contract: Contract): string => {
  const shapes = contract.operations.map((operation) => printShape(contract, operation));
  const names = [...new Set(shapes.flatMap((shape) => componentNames(contract, shape)))].sort();
  return `import type { ${names.join(", ")} } from "./schemas.js";

/** HTTP methods of the operations. */
export type HttpMethod = ${httpMethods.map((method) => JSON.stringify(method)).join(" | ")};

/** Validated path parameters, query parameters and body of each operation, with defaults applied. */
export interface OperationShapes {
${shapes.join("")}}
`;
};

/** Generates the table of operations. */
export const printOperations = (contract: Contract): string => {
  const entries = contract.operations.map(
    (operation) => `  ${JSON.stringify(operation.id)}: ${JSON.stringify(tableEntry(contract, operation))},\n`,
  );
  const ids = contract.operations.map(({ id }) => JSON.stringify(id));
  return `import type { idPatterns, idPrefixes } from "./ids.js";
import type { HttpMethod, OperationShapes } from "./operation-shapes.js";

export type OperationId =
${ids.map((id) => `  | ${id}`).join("\n")};
export type PathParameters<Id extends OperationId> = OperationShapes[Id]["path"];
export type QueryParameters<Id extends OperationId> = OperationShapes[Id]["query"];
export type RequestBody<Id extends OperationId> = OperationShapes[Id]["body"];

/** A parameter of the query. */
export interface QueryParameter {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
  /** The resource type of an id; null for other parameters. */
  readonly resourceType: keyof typeof idPrefixes | null;
}

/** The engine's data about an operation. */
export interface OperationEntry {
  readonly id: OperationId;
  readonly method: HttpMethod;
  /** Path template, such as \`/v1/projects/{id}\`. */
  readonly path: string;
  readonly pathResourceTypes: Readonly<Record<string, keyof typeof idPatterns>>;
  readonly query: readonly QueryParameter[];
  readonly body: "none" | "optional" | "required";
  /** Paths of ids in the body. */
  readonly bodyIds: readonly { readonly path: readonly string[]; readonly resourceType: keyof typeof idPrefixes }[];
  /** Fields of the body that are access tokens of another user. */
  readonly secretFields: readonly string[];
  /** JSON pointers of fields that have their own error code for rejected values. */
  readonly fieldCodes: Readonly<Record<string, string>>;
  /** JSON pointers of the fields of the objects in the body, including fields that only some alternatives of a union have. */
  readonly nestedFields: readonly string[];
  readonly maxBodyBytes: number | null;
  readonly rateLimited: boolean;
  readonly agentApproval: "required" | "never" | null;
  /** Fields of the body that an agent needs its sponsor's approval to change. */
  readonly approvalFields: readonly string[];
  readonly foreignStatus: 403 | 404;
  readonly malformedIdStatus: 404 | 422;
  /** Every status of its responses, with the error codes of each. */
  readonly responses: Readonly<Record<number, readonly string[]>>;
}

export const operations: Readonly<Record<OperationId, OperationEntry>> = {
${entries.join("")}};
`;
};

const componentNames = (contract: Contract, text: string): string[] =>
  (text.match(/\b[A-Z]\w*\b/g) ?? []).filter((word) => Object.hasOwn(contract.schemas, word));

const printShape = (contract: Contract, operation: Operation): string => {
  const fields = (parameters: Parameter[]): string => {
    if (parameters.length === 0) return "Record<string, never>";
    const printed = parameters.map(({ name, required, schema }) => {
      const present = required || contract.resolve(schema).default !== undefined;
      return `readonly ${name}${present ? "" : "?"}: ${printType(contract, schema)};`;
    });
    return `{ ${printed.join(" ")} }`;
  };
  const body = operation.body ? printType(contract, operation.body.schema) : "Record<string, never>";
  return `  ${JSON.stringify(operation.id)}: {
    path: ${fields(operation.pathParameters)};
    query: ${fields(operation.queryParameters)};
    body: ${body};
  };
`;
};

const tableEntry = (contract: Contract, operation: Operation): object => {
  const body = operation.body?.schema;
  const lists = (status: number): boolean => operation.errors.some((error) => error.status === status);
  return {
    id: operation.id,
    method: operation.method,
    path: operation.path,
    pathResourceTypes: Object.fromEntries(
      operation.pathParameters.map(({ name, schema }) => {
        const resourceType = contract.resolve(schema)["x-id-kind"];
        if (resourceType === undefined) throw new Error(`${operation.id}: {${name}} has no x-id-kind`);
        return [name, resourceType];
      }),
    ),
    query: operation.queryParameters.map(({ name, schema }) => ({
      name,
      type: [contract.resolve(schema).type ?? "string"].flat()[0],
      resourceType: contract.resolve(schema)["x-id-kind"] ?? null,
    })),
    body: operation.body ? (operation.body.required ? "required" : "optional") : "none",
    bodyIds: body ? idFields(contract, body) : [],
    secretFields: body ? secretFields(contract, body) : [],
    fieldCodes: body ? fieldCodes(contract, body, "") : {},
    nestedFields: body ? nestedFields(contract, body) : [],
    maxBodyBytes: operation.maxBodyBytes ?? null,
    rateLimited: operation.rateLimited,
    agentApproval: operation.agentApproval ?? null,
    approvalFields: operation.approvalFields,
    foreignStatus: operation.foreignStatus,
    malformedIdStatus: lists(422) ? 422 : 404,
    responses: Object.fromEntries([
      [operation.success.status, []],
      ...operation.errors.map(({ status, codes }) => [status, codes]),
    ]),
  };
};

/** Returns the schema and the schemas that it is composed of, which describe the same value. */
const alternatives = (contract: Contract, schema: JsonSchema): JsonSchema[] => {
  const resolved = contract.resolve(schema);
  const parts = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])];
  return [resolved, ...parts.flatMap((part) => alternatives(contract, part))];
};

const properties = (contract: Contract, schema: JsonSchema): [string, JsonSchema][] =>
  alternatives(contract, schema).flatMap((part) => Object.entries(part.properties ?? {}));

/** Returns the paths and resource types of the ids in a body. */
const idFields = (
  contract: Contract,
  schema: JsonSchema,
  above: string[] = [],
): { path: string[]; resourceType: string }[] => {
  const fieldByPath = new Map<string, { path: string[]; resourceType: string }>();
  for (const [name, property] of properties(contract, schema)) {
    const path = [...above, name];
    for (const part of alternatives(contract, property)) {
      if (part["x-id-kind"]) fieldByPath.set(path.join("/"), { path, resourceType: part["x-id-kind"] });
    }
    for (const field of idFields(contract, property, path)) fieldByPath.set(field.path.join("/"), field);
  }
  return [...fieldByPath.values()];
};

const secretFields = (contract: Contract, schema: JsonSchema): string[] =>
  properties(contract, schema)
    .filter(([, property]) => alternatives(contract, property).some((part) => part["x-secret"]))
    .map(([name]) => name);

/** Returns the fields with their own error code for invalid values, by JSON pointer. */
const fieldCodes = (contract: Contract, schema: JsonSchema, above: string): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const [name, property] of properties(contract, schema)) {
    const pointer = `${above}/${name}`;
    const code = (contract.resolve(property) as { "x-error-code"?: string })["x-error-code"];
    if (code) found[pointer] = code;
    Object.assign(found, fieldCodes(contract, property, pointer));
  }
  return found;
};

/** Returns the JSON pointers of the fields of the objects in a body. */
const nestedFields = (contract: Contract, body: JsonSchema): string[] => {
  const pointersBelow = (schema: JsonSchema, above: string): string[] =>
    properties(contract, schema).flatMap(([name, property]) => {
      const pointer = `${above}/${name}`;
      return [...(above === "" ? [] : [pointer]), ...pointersBelow(property, pointer)];
    });
  return [...new Set(pointersBelow(body, ""))];
};

/** Returns the first code of each status. */
const firstByStatus = (codes: Readonly<Record<string, number>>): Record<number, string> =>
  Object.fromEntries(
    Object.entries(codes)
      .reverse()
      .map(([code, status]) => [status, code]),
  );

/** Generates the table of the error codes of Prisma's Management API. */
export const printPublicCodes = ({ document, operations }: Contract): string => {
  const own = operations
    .map(({ id, publicErrorCodes }) => [id, firstByStatus(publicErrorCodes)] as const)
    .filter(([, codes]) => Object.keys(codes).length > 0);
  return `
/** The error code of Prisma's Management API for each status. */
export const publicCodes: Readonly<Record<number, string | undefined>> = ${JSON.stringify(firstByStatus(document["x-public-error-codes"] ?? {}))};

/** The codes of operations that have others, by the operation's id. */
export const operationPublicCodes: Readonly<Record<string, Readonly<Record<number, string | undefined>> | undefined>> = ${JSON.stringify(Object.fromEntries(own))};
`;
};

/** Generates the table of id kinds. */
export const printIds = ({ idKinds }: Contract): string => {
  const prefixes = idKinds.map(({ kind, prefix }) => `  ${kind}: ${JSON.stringify(prefix)},\n`);
  const patterns = idKinds.flatMap(({ kind, pattern }) =>
    pattern === undefined ? [] : [`  ${kind}: new RegExp(${JSON.stringify(pattern)}, "u"),\n`],
  );
  return `
/** Prefix of the ids of each kind of resource. Error codes use the same names (\`service_token:not_found\`). */
export const idPrefixes = {
${prefixes.join("")}} as const;

/** Pattern of the ids of each kind that requests can contain, with or without prefix. */
export const idPatterns = {
${patterns.join("")}} as const satisfies Partial<Record<keyof typeof idPrefixes, RegExp>>;
`;
};
