import { controlErrors } from "../../control/control-error.js";
import {
  type ControlSchema,
  type ControlSchemaName,
  controlSchemas,
  listSchema,
  schemaReference,
} from "./control-schemas.js";
import type { Fields } from "./fields.js";

/** Summary, request body and response of a route. A body or response of `null` is empty. */
type RouteDescription = readonly [
  summary: string,
  body: ControlSchemaName | null,
  response: ControlSchema | null,
];

const resourceSchema = schemaReference("Resource");
const approvalSchema = schemaReference("Approval");

/** The routes of the control surface, by the names that `routes.ts` has for them. */
const routeDescriptions: Readonly<Record<string, RouteDescription>> = {
  "GET /openapi.json": ["Returns this document.", null, { type: "object" }],
  "POST /reset": ["Restores the initial state, and removes faults, log and rate limit.", null, null],
  "GET /snapshot": ["Returns the whole state.", null, schemaReference("Snapshot")],
  "PUT /snapshot": ["Replaces the state with a snapshot.", "Snapshot", null],
  "GET /clock": ["Returns the server's time.", null, schemaReference("Clock")],
  "POST /clock/freeze": ["Stops the clock.", null, schemaReference("Clock")],
  "POST /clock/run": ["Starts the clock again.", null, schemaReference("Clock")],
  "POST /clock/advance": [
    "Moves the clock forward, and runs the jobs that fall due.",
    "Advance",
    schemaReference("Clock"),
  ],
  "POST /clock/set": ["Sets the clock to a time.", "SetTime", schemaReference("Clock")],
  "GET /approvals": ["Lists all approvals, oldest first.", null, listSchema(approvalSchema)],
  "POST /approvals/{id}/approve": ["Approves one request of an agent.", null, approvalSchema],
  "POST /approvals/{id}/approve-window": [
    "Approves the operation in its project for a limited time.",
    "Window",
    approvalSchema,
  ],
  "POST /approvals/{id}/deny": ["Denies a request of an agent.", null, approvalSchema],
  "PUT /databases/{id}/status": ["Sets the status of a database.", "DatabaseStatus", resourceSchema],
  "POST /databases/{id}/backups": ["Backs up a database now.", "NewBackup", resourceSchema],
  "PUT /backups/{id}/status": ["Sets the status of a backup.", "BackupStatus", resourceSchema],
  "PUT /deployments/{id}/status": ["Sets the status of a deployment.", "DeploymentStatus", resourceSchema],
  "POST /apps/{id}/domains": ["Attaches a custom domain to an app.", "Domain", resourceSchema],
  "GET /faults": ["Lists the installed faults.", null, listSchema(schemaReference("InstalledFault"))],
  "POST /faults": ["Installs a fault.", "Fault", schemaReference("InstalledFault")],
  "DELETE /faults": ["Removes all faults.", null, null],
  "DELETE /faults/{id}": ["Removes a fault.", null, null],
  "PUT /rate-limit": [
    "Sets or removes the rate limit, and returns the operations that it applies to.",
    "RateLimit",
    schemaReference("LimitedOperations"),
  ],
  "GET /requests": [
    "Returns the latest requests to the API, oldest first, or streams them as server-sent events.",
    null,
    listSchema(schemaReference("LoggedRequest")),
  ],
  "GET /connection-faults": [
    "Lists the faults for connections to real databases.",
    null,
    listSchema(schemaReference("InstalledConnectionFault")),
  ],
  "POST /connection-faults": [
    "Installs a fault for connections to real databases.",
    "ConnectionFault",
    schemaReference("InstalledConnectionFault"),
  ],
  "DELETE /connection-faults": ["Removes all faults for connections.", null, null],
  "DELETE /connection-faults/{id}": ["Removes a fault for connections.", null, null],
  "PUT /connection-limit": [
    "Sets or removes the limit of connections per real database.",
    "ConnectionLimit",
    null,
  ],
  "POST /seed/user": ["Creates a user.", "NewUser", schemaReference("User")],
  "POST /seed/workspace": ["Creates a workspace.", "NewWorkspace", resourceSchema],
  "POST /seed/project": ["Creates a project, whose database is ready.", "InWorkspace", resourceSchema],
  "POST /seed/database": ["Creates a database, which is ready.", "InProject", resourceSchema],
  "POST /seed/connection": ["Creates a connection.", "OfDatabase", resourceSchema],
  "POST /seed/backup": ["Creates a completed backup.", "BackupOf", resourceSchema],
  "POST /seed/branch": ["Creates a branch.", "InProject", resourceSchema],
  "POST /seed/app": ["Creates an app.", "InProject", resourceSchema],
  "POST /seed/deployment": ["Creates a deployment.", "NewDeployment", resourceSchema],
  "POST /seed/service-token": ["Creates a service token.", "InWorkspace", resourceSchema],
  "POST /seed/integration": [
    "Creates an integration.",
    "NewIntegration",
    schemaReference("CreatedIntegration"),
  ],
  "POST /tokens": ["Signs a token.", "TokenRequest", schemaReference("Token")],
  "POST /tenants": [
    "Creates a workspace with its own user and tokens, so that tests can share the server.",
    "NewTenant",
    schemaReference("Tenant"),
  ],
  "POST /oauth/clients": [
    "Registers an OAuth client.",
    "ClientRegistration",
    schemaReference("RegisteredClient"),
  ],
  "POST /oauth/consent": [
    "Consents to an authorization request as a user.",
    "AuthorizationRequest",
    schemaReference("Consented"),
  ],
  "POST /oauth/deny": [
    "Denies an authorization request as a user.",
    "AuthorizationRequest",
    schemaReference("Denied"),
  ],
};

/**
 * Refuses fields that a route does not have. Those of a resource to create are checked by the operation that creates it, and a
 * snapshot when it is loaded.
 *
 * @param route as in `routes.ts`.
 * @throws ControlError
 */
export const assertKnownFields = (route: string, fields: Fields): void => {
  const [, name] = routeDescriptions[route] ?? [];
  const schema: ControlSchema = name ? controlSchemas[name] : {};
  if (name && schema["additionalProperties"] !== false) return;
  const allowedNames = Object.keys(schema["properties"] ?? {});
  const unknownNames = Object.keys(fields).filter((field) => !allowedNames.includes(field));
  if (unknownNames.length > 0) throw controlErrors.unknownFields(unknownNames, allowedNames);
};

const jsonContent = (schema: ControlSchema) => ({ "application/json": { schema } });

const failureResponse = {
  description: "The request was refused.",
  content: jsonContent(schemaReference("Error")),
};

const describeOperation = (route: string, [summary, body, response]: RouteDescription) => {
  const [method = "", path = ""] = route.split(" ");
  const words = [
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
        ...jsonContent(response),
        ...(route === "GET /requests" && { "text/event-stream": { schema: { type: "string" } } }),
      },
    }),
  };
  return {
    operationId: words.map((word, index) => (index === 0 ? word : capitalize(word))).join(""),
    summary,
    ...(body && { requestBody: { content: jsonContent(schemaReference(body)) } }),
    responses: { [response ? "200" : "204"]: successResponse, default: failureResponse },
  };
};

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

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
