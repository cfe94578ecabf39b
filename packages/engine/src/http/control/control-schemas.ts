import { connectionFaultSchemas } from "../../control/connection-faults.js";
import { faultSchemas } from "../../context/faults.js";
import {
  approvalStatuses,
  backupStatuses,
  backupTypes,
  databaseStatuses,
  deploymentStatuses,
} from "./statuses.js";

/** Length of the window of a rate limit, in milliseconds. */
export const defaultRateWindow = 60_000;

/** The part of a JSON Schema that the document of the control surface uses. */
export type ControlSchema = { readonly [keyword: string]: unknown };

const stringSchema: ControlSchema = { type: "string" };
const stringsSchema: ControlSchema = { type: "array", items: stringSchema };
const timeSchema: ControlSchema = { type: "string", format: "date-time" };
const epochSchema: ControlSchema = { type: "number", description: "Milliseconds since 1970." };
const millisecondsSchema: ControlSchema = { type: "number", minimum: 0 };

export const listSchema = (items: ControlSchema): ControlSchema => ({ type: "array", items });

/** Returns the schema of an object. Names that end in `?` are optional. */
const objectSchema = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => {
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
const bodySchema = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => ({
  ...objectSchema(fields),
  additionalProperties: false,
});

const resourceSchema = objectSchema({ id: stringSchema });

const nullableSchema = (schema: ControlSchema): ControlSchema => ({ anyOf: [schema, { type: "null" }] });

const userSchema = objectSchema({
  id: stringSchema,
  email: stringSchema,
  name: nullableSchema(stringSchema),
});

const statusBodySchema = (values: readonly string[]): ControlSchema =>
  bodySchema({ status: { enum: values } });

const installedFields = { id: stringSchema, struck: { type: "integer" } };

/** Schemas of the bodies and responses, by name. */
export const controlSchemas = {
  Error: objectSchema({
    error: objectSchema({
      code: stringSchema,
      message: stringSchema,
      "hint?": stringSchema,
      "issues?": listSchema({ type: "object" }),
    }),
  }),
  Resource: { ...resourceSchema, description: "The resource, as the API returns it." },
  User: userSchema,
  Approval: objectSchema({
    id: stringSchema,
    status: { enum: approvalStatuses },
    createdAt: timeSchema,
    request: { type: "string", description: "Method and path of the request." },
    operationId: stringSchema,
    agentId: stringSchema,
    sponsorId: stringSchema,
    workspaceId: stringSchema,
    projectId: nullableSchema(stringSchema),
    expiresAt: timeSchema,
    windowExpiresAt: nullableSchema(timeSchema),
    decidedAt: nullableSchema(timeSchema),
    "hint?": stringSchema,
  }),
  Clock: objectSchema({ now: timeSchema, frozen: { type: "boolean" } }),
  Advance: bodySchema({ "milliseconds?": millisecondsSchema }),
  SetTime: bodySchema({ time: timeSchema }),
  Window: bodySchema({ "milliseconds?": { type: "number", exclusiveMinimum: 0 } }),
  Snapshot: {
    ...objectSchema({
      version: { enum: [1, 2] },
      store: { type: "object" },
      signingKeys: listSchema({ type: "object" }),
      cursorKey: stringSchema,
      clock: { type: "object" },
      jobs: listSchema({ type: "object" }),
      "random?": {},
    }),
    description: "The whole state. Treat it as opaque: keys and secrets are part of it.",
  },
  DatabaseStatus: statusBodySchema(databaseStatuses),
  BackupStatus: statusBodySchema(backupStatuses),
  DeploymentStatus: statusBodySchema(deploymentStatuses),
  NewBackup: bodySchema({ "backupType?": { enum: backupTypes } }),
  Domain: bodySchema({ name: stringSchema }),
  Fault: bodySchema(faultSchemas),
  InstalledFault: objectSchema({ ...faultSchemas, ...installedFields }),
  ConnectionFault: bodySchema(connectionFaultSchemas),
  InstalledConnectionFault: objectSchema({ ...connectionFaultSchemas, ...installedFields }),
  ConnectionLimit: bodySchema({ "connections?": nullableSchema({ type: "integer", minimum: 0 }) }),
  RateLimit: bodySchema({
    "requests?": { type: "integer", minimum: 0, description: "Absent: no limit." },
    "window?": {
      type: "number",
      exclusiveMinimum: 0,
      description: `Milliseconds. Default: ${String(defaultRateWindow)}.`,
    },
    "operations?": { ...stringsSchema, description: "Default: the operations that the contract limits." },
  }),
  LimitedOperations: objectSchema({ operations: stringsSchema }),
  LoggedRequest: objectSchema({
    requestId: stringSchema,
    at: epochSchema,
    method: stringSchema,
    path: stringSchema,
    operationId: nullableSchema(stringSchema),
    principal: nullableSchema(
      objectSchema({ kind: stringSchema, subject: stringSchema, workspaceId: stringSchema }),
    ),
    query: nullableSchema({ type: "object" }),
    body: {},
    ignoredFields: stringsSchema,
    status: nullableSchema({ type: "integer" }),
    code: nullableSchema(stringSchema),
    duration: { type: "number" },
  }),
  NewUser: bodySchema({ "email?": stringSchema, "name?": stringSchema }),
  NewWorkspace: bodySchema({ "name?": stringSchema, "ownerId?": stringSchema }),
  InWorkspace: {
    ...objectSchema({ "workspaceId?": stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  InProject: {
    ...objectSchema({ projectId: stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  OfDatabase: {
    ...objectSchema({ databaseId: stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  NewDeployment: {
    ...objectSchema({
      appId: stringSchema,
      "status?": stringSchema,
      "envVars?": { type: "object", additionalProperties: stringSchema },
    }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  BackupOf: bodySchema({ databaseId: stringSchema }),
  NewIntegration: bodySchema({
    "workspaceId?": stringSchema,
    "clientName?": stringSchema,
    "clientId?": stringSchema,
    "userId?": stringSchema,
    "scopes?": stringsSchema,
  }),
  CreatedIntegration: objectSchema({ integration: resourceSchema, client: resourceSchema }),
  TokenRequest: bodySchema({
    kind: { enum: ["user", "other-user", "service", "agent", "expired", "without-scope"] },
    "userId?": stringSchema,
    "workspaceId?": stringSchema,
    "integrationId?": stringSchema,
    "serviceTokenId?": stringSchema,
    "agentId?": stringSchema,
    "sponsorId?": stringSchema,
    "expiresAt?": timeSchema,
    "notBefore?": timeSchema,
    "scopes?": stringsSchema,
  }),
  Token: objectSchema({ token: stringSchema }),
  NewTenant: bodySchema({ "name?": stringSchema }),
  Tenant: objectSchema({
    workspace: resourceSchema,
    user: userSchema,
    token: stringSchema,
    serviceToken: stringSchema,
  }),
  ClientRegistration: bodySchema({
    redirectUris: stringsSchema,
    "name?": stringSchema,
    "confidential?": { type: "boolean" },
    "secret?": stringSchema,
    "id?": stringSchema,
  }),
  RegisteredClient: objectSchema({
    id: stringSchema,
    name: stringSchema,
    redirectUris: stringsSchema,
    secret: nullableSchema(stringSchema),
  }),
  AuthorizationRequest: bodySchema({
    "url?": stringSchema,
    "client?": stringSchema,
    "redirectUri?": stringSchema,
    "scope?": stringSchema,
    "state?": stringSchema,
    "codeChallenge?": stringSchema,
    "codeChallengeMethod?": stringSchema,
    "user?": stringSchema,
    "workspace?": stringSchema,
  }),
  Consented: objectSchema({ redirect: stringSchema, code: stringSchema }),
  Denied: objectSchema({ redirect: stringSchema }),
} satisfies Record<string, ControlSchema>;

export type ControlSchemaName = keyof typeof controlSchemas;

export const schemaReference = (name: ControlSchemaName): ControlSchema => ({
  $ref: `#/components/schemas/${name}`,
});
