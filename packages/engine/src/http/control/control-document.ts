import { capitalize } from "@mgmt/internal/text/capitalize";
import * as controlErrors from "../../control/control-errors.js";
import {
  type ControlSchema,
  type ControlSchemaName,
  controlSchemas,
  createListSchema,
  createSchemaReference,
} from "./control-schemas.js";
import type { Fields } from "./fields.js";

/** Summary, request body and response of a route. A body or response of `null` is empty. */
type RouteDescription = readonly [
  summary: string,
  body: ControlSchemaName | null,
  response: ControlSchema | null,
];

const resourceReference = createSchemaReference("Resource");
const approvalReference = createSchemaReference("Approval");

/** The routes of the control surface, by the names that `routes.ts` has for them. */
const routeDescriptions: Readonly<Record<string, RouteDescription>> = {
  "GET /openapi.json": ["Returns this document.", null, { type: "object" }],
  "POST /reset": ["Restores the initial state, and removes faults, log and rate limit.", null, null],
  "GET /snapshot": ["Returns the whole state.", null, createSchemaReference("Snapshot")],
  "PUT /snapshot": ["Replaces the state with a snapshot.", "Snapshot", null],
  "GET /clock": ["Returns the server's time.", null, createSchemaReference("Clock")],
  "POST /clock/freeze": ["Stops the clock.", null, createSchemaReference("Clock")],
  "POST /clock/run": ["Starts the clock again.", null, createSchemaReference("Clock")],
  "POST /clock/advance": [
    "Moves the clock forward, and runs the jobs that fall due.",
    "Advance",
    createSchemaReference("Clock"),
  ],
  "POST /clock/set": ["Sets the clock to a time.", "SetTime", createSchemaReference("Clock")],
  "GET /approvals": ["Lists all approvals, oldest first.", null, createListSchema(approvalReference)],
  "POST /approvals/{id}/approve": ["Approves one request of an agent.", null, approvalReference],
  "POST /approvals/{id}/approve-window": [
    "Approves the operation in its project for a limited time.",
    "Window",
    approvalReference,
  ],
  "POST /approvals/{id}/deny": ["Denies a request of an agent.", null, approvalReference],
  "PUT /databases/{id}/status": ["Sets the status of a database.", "DatabaseStatus", resourceReference],
  "POST /databases/{id}/backups": ["Backs up a database now.", "NewBackup", resourceReference],
  "PUT /backups/{id}/status": ["Sets the status of a backup.", "BackupStatus", resourceReference],
  "PUT /deployments/{id}/status": ["Sets the status of a deployment.", "DeploymentStatus", resourceReference],
  "POST /apps/{id}/domains": ["Attaches a custom domain to an app.", "Domain", resourceReference],
  "GET /faults": [
    "Lists the installed faults.",
    null,
    createListSchema(createSchemaReference("InstalledFault")),
  ],
  "POST /faults": ["Installs a fault.", "Fault", createSchemaReference("InstalledFault")],
  "DELETE /faults": ["Removes all faults.", null, null],
  "DELETE /faults/{id}": ["Removes a fault.", null, null],
  "PUT /rate-limit": [
    "Sets or removes the rate limit, and returns the operations that it applies to.",
    "RateLimit",
    createSchemaReference("LimitedOperations"),
  ],
  "GET /requests": [
    "Returns the latest requests to the API, oldest first, or streams them as server-sent events.",
    null,
    createListSchema(createSchemaReference("LoggedRequest")),
  ],
  "GET /connection-faults": [
    "Lists the faults for connections to real databases.",
    null,
    createListSchema(createSchemaReference("InstalledConnectionFault")),
  ],
  "POST /connection-faults": [
    "Installs a fault for connections to real databases.",
    "ConnectionFault",
    createSchemaReference("InstalledConnectionFault"),
  ],
  "DELETE /connection-faults": ["Removes all faults for connections.", null, null],
  "DELETE /connection-faults/{id}": ["Removes a fault for connections.", null, null],
  "PUT /connection-limit": [
    "Sets or removes the limit of connections per real database.",
    "ConnectionLimit",
    null,
  ],
  "POST /seed/user": ["Creates a user.", "NewUser", createSchemaReference("User")],
  "POST /seed/workspace": ["Creates a workspace.", "NewWorkspace", resourceReference],
  "POST /seed/project": ["Creates a project, whose database is ready.", "InWorkspace", resourceReference],
  "POST /seed/database": ["Creates a database, which is ready.", "InProject", resourceReference],
  "POST /seed/connection": ["Creates a connection.", "OfDatabase", resourceReference],
  "POST /seed/backup": ["Creates a completed backup.", "BackupOf", resourceReference],
  "POST /seed/branch": ["Creates a branch.", "InProject", resourceReference],
  "POST /seed/app": ["Creates an app.", "InProject", resourceReference],
  "POST /seed/deployment": ["Creates a deployment.", "NewDeployment", resourceReference],
  "POST /seed/service-token": ["Creates a service token.", "InWorkspace", resourceReference],
  "POST /seed/integration": [
    "Creates an integration.",
    "NewIntegration",
    createSchemaReference("CreatedIntegration"),
  ],
  "POST /tokens": ["Signs a token.", "TokenRequest", createSchemaReference("Token")],
  "POST /tenants": [
    "Creates a workspace with its own user and tokens, so that tests can share the server.",
    "NewTenant",
    createSchemaReference("Tenant"),
  ],
  "POST /oauth/clients": [
    "Registers an OAuth client.",
    "ClientRegistration",
    createSchemaReference("RegisteredClient"),
  ],
  "POST /oauth/consent": [
    "Consents to an authorization request as a user.",
    "AuthorizationRequest",
    createSchemaReference("Consented"),
  ],
  "POST /oauth/deny": [
    "Denies an authorization request as a user.",
    "AuthorizationRequest",
    createSchemaReference("Denied"),
  ],
};

/**
 * Rejects fields that a route does not have. Those of a resource to create are checked by the operation that creates it, and a
 * snapshot when it is loaded.
 *
 * @param route as in `routes.ts`.
 * @throws ControlError
 */
export const assertKnownFields = (route: string, fields: Fields): void => {
  const [, schemaName] = routeDescriptions[route] ?? [];
  const schema: ControlSchema = schemaName ? controlSchemas[schemaName] : {};
  if (schemaName && schema["additionalProperties"] !== false) return;
  const allowedNames = Object.keys(schema["properties"] ?? {});
  const unknownNames = Object.keys(fields).filter((field) => !allowedNames.includes(field));
  if (unknownNames.length > 0) throw controlErrors.unknownFields(unknownNames, allowedNames);
};

const createJsonContent = (schema: ControlSchema) => ({ "application/json": { schema } });

const failureResponse = {
  description: "The request was refused.",
  content: createJsonContent(createSchemaReference("Error")),
};

const describeOperation = (route: string, [summary, body, response]: RouteDescription) => {
  const [method = "", path = ""] = route.split(" ");
  const operationIdWords = [
    method.toLowerCase(),
    ...path
      .replace(/\{id\}$/, "one")
      .split(/[/.-]/)
      .filter((word) => /^\w+$/.test(word)),
  ];
  const successResponse = {
    description: "Done.",
    ...(response && {
      content: {
        ...createJsonContent(response),
        ...(route === "GET /requests" && { "text/event-stream": { schema: { type: "string" } } }),
      },
    }),
  };
  return {
    operationId: operationIdWords.map((word, index) => (index === 0 ? word : capitalize(word))).join(""),
    summary,
    ...(body && { requestBody: { content: createJsonContent(createSchemaReference(body)) } }),
    responses: { [response ? "200" : "204"]: successResponse, default: failureResponse },
  };
};

/** Returns the OpenAPI document of the control surface. */
export const buildControlDocument = () => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [route, description] of Object.entries(routeDescriptions)) {
    const [method = "", path = ""] = route.split(" ");
    const pathItem = (paths[path] ??= path.includes("{id}")
      ? { parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }] }
      : {});
    pathItem[method.toLowerCase()] = describeOperation(route, description);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control surface of the reference server",
      version: "1.0.0",
      description:
        "What tests and operators may do with a reference server of the Management API: seed, move the clock, inject failures, decide approvals. It is not part of the API.",
    },
    servers: [{ url: "/_control" }],
    security: [{ controlSecret: [] }],
    paths,
    components: {
      securitySchemes: {
        controlSecret: { type: "apiKey", in: "header", name: "x-mgmt-control-secret" },
      },
      schemas: controlSchemas,
    },
  };
};
