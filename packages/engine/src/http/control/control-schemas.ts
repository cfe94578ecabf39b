import { connectionFaultSchemas } from "../../control/connection-faults.js";
import { faultSchemas } from "../../context/faults.js";
import { backupStatuses, backupTypes, databaseStatuses, deploymentStatuses } from "./statuses.js";

/** The part of a JSON Schema that the document of the control surface uses. */
export type ControlSchema = { readonly [keyword: string]: unknown };

const string: ControlSchema = { type: "string" };
const strings: ControlSchema = { type: "array", items: string };
const time: ControlSchema = { type: "string", format: "date-time" };
const epoch: ControlSchema = { type: "number", description: "Milliseconds since 1970." };
const milliseconds: ControlSchema = { type: "number", minimum: 0 };
const row: ControlSchema = { type: "object", required: ["id"], properties: { id: string } };

export const listOf = (items: ControlSchema): ControlSchema => ({ type: "array", items });

/** Returns the schema of an object. Names that end in `?` are optional. */
const object = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => {
  const names = Object.keys(fields);
  const required = names.filter((name) => !name.endsWith("?"));
  const properties = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
};

/** Returns the schema of a body, which has no other fields. */
const body = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => ({
  ...object(fields),
  additionalProperties: false,
});

const nullable = (schema: ControlSchema): ControlSchema => ({ anyOf: [schema, { type: "null" }] });

const statusOf = (values: readonly string[]): ControlSchema => body({ status: { enum: values } });

const installed = { id: string, struck: { type: "integer" } };

/** Schemas of the bodies and responses, by name. */
export const controlSchemas = {
  Error: object({
    error: object({ code: string, message: string, "hint?": string, "issues?": listOf({ type: "object" }) }),
  }),
  Row: { ...row, description: "A row of the store, or a resource of the API." },
  Clock: object({ now: time, frozen: { type: "boolean" } }),
  Advance: body({ "milliseconds?": milliseconds }),
  SetTime: body({ time }),
  Window: body({ "milliseconds?": { type: "number", exclusiveMinimum: 0 } }),
  Snapshot: {
    ...object({
      version: { enum: [1, 2] },
      store: { type: "object" },
      signingKeys: listOf({ type: "object" }),
      cursorKey: string,
      clock: { type: "object" },
      jobs: listOf({ type: "object" }),
      "random?": {},
    }),
    description: "The whole state. Treat it as opaque: keys and secrets are part of it.",
  },
  DatabaseStatus: statusOf(databaseStatuses),
  BackupStatus: statusOf(backupStatuses),
  DeploymentStatus: statusOf(deploymentStatuses),
  NewBackup: body({ "backupType?": { enum: backupTypes } }),
  Domain: body({ name: string }),
  Fault: body(faultSchemas),
  InstalledFault: object({ ...faultSchemas, ...installed }),
  ConnectionFault: body(connectionFaultSchemas),
  InstalledConnectionFault: object({ ...connectionFaultSchemas, ...installed }),
  ConnectionLimit: body({ "connections?": nullable({ type: "integer", minimum: 0 }) }),
  RateLimit: body({
    "requests?": { type: "integer", minimum: 0, description: "Absent: no limit." },
    "window?": { type: "number", exclusiveMinimum: 0, description: "Milliseconds. Default: 60000." },
    "operations?": { ...strings, description: "Default: the operations that the contract limits." },
  }),
  LimitedOperations: object({ operations: strings }),
  LoggedRequest: object({
    requestId: string,
    at: epoch,
    method: string,
    path: string,
    operationId: nullable(string),
    principal: nullable(object({ kind: string, subject: string, workspaceId: string })),
    query: nullable({ type: "object" }),
    body: {},
    ignoredFields: strings,
    status: nullable({ type: "integer" }),
    code: nullable(string),
    duration: { type: "number" },
  }),
  NewUser: body({ "email?": string, "name?": string }),
  NewWorkspace: body({ "name?": string, "ownerId?": string }),
  InWorkspace: {
    ...object({ "workspaceId?": string }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  InProject: {
    ...object({ projectId: string }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  OfDatabase: {
    ...object({ databaseId: string }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  NewDeployment: {
    ...object({
      appId: string,
      "status?": string,
      "envVars?": { type: "object", additionalProperties: string },
    }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  BackupOf: body({ databaseId: string }),
  NewIntegration: body({
    "workspaceId?": string,
    "clientName?": string,
    "clientId?": string,
    "userId?": string,
    "scopes?": strings,
  }),
  CreatedIntegration: object({ integration: row, client: row }),
  TokenRequest: body({
    kind: { enum: ["user", "other-user", "service", "agent", "expired", "without-scope"] },
    "userId?": string,
    "workspaceId?": string,
    "integrationId?": string,
    "serviceTokenId?": string,
    "agentId?": string,
    "sponsorId?": string,
    "expiresAt?": time,
    "notBefore?": time,
    "scopes?": strings,
  }),
  Token: object({ token: string }),
  NewTenant: body({ "name?": string }),
  Tenant: object({ workspace: row, user: row, token: string, serviceToken: string }),
  ClientRegistration: body({
    redirectUris: strings,
    "name?": string,
    "confidential?": { type: "boolean" },
    "secret?": string,
    "id?": string,
  }),
  RegisteredClient: object({ id: string, name: string, redirectUris: strings, secret: nullable(string) }),
  AuthorizationRequest: body({
    "url?": string,
    "client?": string,
    "redirectUri?": string,
    "scope?": string,
    "state?": string,
    "codeChallenge?": string,
    "codeChallengeMethod?": string,
    "user?": string,
    "workspace?": string,
  }),
  Consented: object({ redirect: string, code: string }),
  Denied: object({ redirect: string }),
} satisfies Record<string, ControlSchema>;

export type ControlSchemaName = keyof typeof controlSchemas;

export const ref = (name: ControlSchemaName): ControlSchema => ({
  $ref: `#/components/schemas/${name}`,
});
