import { connectionFaultFieldSchemas } from "../../control/connection-faults.js";
import { faultFieldSchemas } from "../../context/fault.js";
import {
  approvalStatuses,
  backupStatuses,
  backupTypes,
  databaseStatuses,
  deploymentStatuses,
} from "./statuses.js";

/** Length of the window of a rate limit, in milliseconds. */
export const defaultRateWindowMs = 60_000;

/** The part of a JSON Schema that the document of the control surface uses. */
export type ControlSchema = { readonly [keyword: string]: unknown };

const stringSchema: ControlSchema = { type: "string" };
const stringListSchema: ControlSchema = { type: "array", items: stringSchema };
const timeSchema: ControlSchema = { type: "string", format: "date-time" };
const unixTimeSchema: ControlSchema = { type: "number", description: "Milliseconds since 1970." };
const millisecondsSchema: ControlSchema = { type: "number", minimum: 0 };

/** Returns the schema of an array. */
export const createListSchema = (items: ControlSchema): ControlSchema => ({ type: "array", items });

/** Returns the schema of an object. Names that end in `?` are optional. */
const createObjectSchema = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => {
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
const createBodySchema = (fields: Readonly<Record<string, ControlSchema>>): ControlSchema => ({
  ...createObjectSchema(fields),
  additionalProperties: false,
});

const resourceSchema = createObjectSchema({ id: stringSchema });

const createNullableSchema = (schema: ControlSchema): ControlSchema => ({
  anyOf: [schema, { type: "null" }],
});

const userSchema = createObjectSchema({
  id: stringSchema,
  email: stringSchema,
  name: createNullableSchema(stringSchema),
});

const createStatusBodySchema = (values: readonly string[]): ControlSchema =>
  createBodySchema({ status: { enum: values } });

const installedFaultFields = { id: stringSchema, struck: { type: "integer" } };

/** Schemas of the bodies and responses, by name. */
export const controlSchemas = {
  Error: createObjectSchema({
    error: createObjectSchema({
      code: stringSchema,
      message: stringSchema,
      "hint?": stringSchema,
      "issues?": createListSchema({ type: "object" }),
    }),
  }),
  Resource: { ...resourceSchema, description: "The resource, as the API returns it." },
  User: userSchema,
  Approval: createObjectSchema({
    id: stringSchema,
    status: { enum: approvalStatuses },
    createdAt: timeSchema,
    request: { type: "string", description: "Method and path of the request." },
    operationId: stringSchema,
    agentId: stringSchema,
    sponsorId: stringSchema,
    workspaceId: stringSchema,
    projectId: createNullableSchema(stringSchema),
    effect: {
      type: "string",
      description: "What the request does, in sentences, with the names of resources.",
    },
    expiresAt: timeSchema,
    windowExpiresAt: createNullableSchema(timeSchema),
    decidedAt: createNullableSchema(timeSchema),
    "hint?": stringSchema,
  }),
  Clock: createObjectSchema({ now: timeSchema, frozen: { type: "boolean" } }),
  Advance: createBodySchema({ "milliseconds?": millisecondsSchema }),
  SetTime: createBodySchema({ time: timeSchema }),
  Window: createBodySchema({ "milliseconds?": { type: "number", exclusiveMinimum: 0 } }),
  Snapshot: {
    ...createObjectSchema({
      version: { enum: [1, 2] },
      store: { type: "object" },
      signingKeys: createListSchema({ type: "object" }),
      cursorKey: stringSchema,
      clock: { type: "object" },
      jobs: createListSchema({ type: "object" }),
      "random?": {},
    }),
    description: "The whole state. Treat it as opaque: keys and secrets are part of it.",
  },
  DatabaseStatus: createStatusBodySchema(databaseStatuses),
  BackupStatus: createStatusBodySchema(backupStatuses),
  DeploymentStatus: createStatusBodySchema(deploymentStatuses),
  NewBackup: createBodySchema({ "backupType?": { enum: backupTypes } }),
  Domain: createBodySchema({ name: stringSchema }),
  Fault: createBodySchema(faultFieldSchemas),
  InstalledFault: createObjectSchema({ ...faultFieldSchemas, ...installedFaultFields }),
  ConnectionFault: createBodySchema(connectionFaultFieldSchemas),
  InstalledConnectionFault: createObjectSchema({ ...connectionFaultFieldSchemas, ...installedFaultFields }),
  ConnectionLimit: createBodySchema({
    "connections?": createNullableSchema({ type: "integer", minimum: 0 }),
  }),
  RateLimit: createBodySchema({
    "requests?": { type: "integer", minimum: 0, description: "Absent: no limit." },
    "window?": {
      type: "number",
      exclusiveMinimum: 0,
      description: `Milliseconds. Default: ${String(defaultRateWindowMs)}.`,
    },
    "operations?": { ...stringListSchema, description: "Default: the operations that the contract limits." },
  }),
  LimitedOperations: createObjectSchema({ operations: stringListSchema }),
  LoggedRequest: createObjectSchema({
    requestId: stringSchema,
    at: unixTimeSchema,
    method: stringSchema,
    path: stringSchema,
    operationId: createNullableSchema(stringSchema),
    principal: createNullableSchema(
      createObjectSchema({ kind: stringSchema, subject: stringSchema, workspaceId: stringSchema }),
    ),
    query: createNullableSchema({ type: "object" }),
    body: {},
    ignoredFields: stringListSchema,
    status: createNullableSchema({ type: "integer" }),
    code: createNullableSchema(stringSchema),
    duration: { type: "number" },
    traceId: createNullableSchema(stringSchema),
  }),
  NewUser: createBodySchema({ "email?": stringSchema, "name?": stringSchema }),
  NewWorkspace: createBodySchema({ "name?": stringSchema, "ownerId?": stringSchema }),
  InWorkspace: {
    ...createObjectSchema({ "workspaceId?": stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  InProject: {
    ...createObjectSchema({ projectId: stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  OfDatabase: {
    ...createObjectSchema({ databaseId: stringSchema }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  NewDeployment: {
    ...createObjectSchema({
      appId: stringSchema,
      "status?": stringSchema,
      "envVars?": { type: "object", additionalProperties: stringSchema },
    }),
    description: "With the fields of the operation of the API that creates the resource.",
  },
  BackupOf: createBodySchema({ databaseId: stringSchema }),
  NewIntegration: createBodySchema({
    "workspaceId?": stringSchema,
    "clientName?": stringSchema,
    "clientId?": stringSchema,
    "userId?": stringSchema,
    "scopes?": stringListSchema,
  }),
  CreatedIntegration: createObjectSchema({ integration: resourceSchema, client: resourceSchema }),
  TokenRequest: createBodySchema({
    kind: { enum: ["user", "other-user", "service", "agent", "expired", "without-scope"] },
    "userId?": stringSchema,
    "workspaceId?": stringSchema,
    "integrationId?": stringSchema,
    "serviceTokenId?": stringSchema,
    "agentId?": stringSchema,
    "sponsorId?": stringSchema,
    "expiresAt?": timeSchema,
    "notBefore?": timeSchema,
    "scopes?": stringListSchema,
  }),
  Token: createObjectSchema({ token: stringSchema }),
  NewTenant: createBodySchema({ "name?": stringSchema }),
  Tenant: createObjectSchema({
    workspace: resourceSchema,
    user: userSchema,
    token: stringSchema,
    serviceToken: stringSchema,
  }),
  ClientRegistration: createBodySchema({
    redirectUris: stringListSchema,
    "name?": stringSchema,
    "confidential?": { type: "boolean" },
    "secret?": stringSchema,
    "id?": stringSchema,
  }),
  RegisteredClient: createObjectSchema({
    id: stringSchema,
    name: stringSchema,
    redirectUris: stringListSchema,
    secret: createNullableSchema(stringSchema),
  }),
  AuthorizationRequest: createBodySchema({
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
  Consented: createObjectSchema({ redirect: stringSchema, code: stringSchema }),
  Denied: createObjectSchema({ redirect: stringSchema }),
} satisfies Record<string, ControlSchema>;

/** Name of a schema in the OpenAPI document of the control surface. */
export type ControlSchemaName = keyof typeof controlSchemas;

/** Returns a reference to a schema of the control surface. */
export const createSchemaReference = (name: ControlSchemaName): ControlSchema => ({
  $ref: `#/components/schemas/${name}`,
});
