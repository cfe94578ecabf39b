import { assertKnownFields } from "./control-document.js";
import * as controlErrors from "../../control/control-errors.js";
import type { Server } from "../../server/server.js";
import {
  type ControlRoutes,
  type Fields,
  getOptionalString,
  getOptionalStrings,
  getOptionalVariables,
  omitUndefined,
  getString,
} from "./fields.js";

/** Returns the fields except those named: the body of the operation that creates the resource. */
const omitFields = (fields: Fields, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const parseTargetWorkspace = (fields: Fields): { workspaceId?: string } =>
  omitUndefined<{ workspaceId: string }>({ workspaceId: getOptionalString(fields, "workspaceId") });

/**
 * Creates a resource of a kind, such as `project`, from the fields of `POST /_control/seed/{kind}`.
 *
 * @throws ControlError for an unknown kind or invalid fields; RequestError when a rule of the API rejects the resource.
 */
export const seedResource = async (server: Server, kind: string, fields: Fields): Promise<{ id: string }> => {
  const prefix = "POST /seed/";
  const routeAction = Object.entries(seedRoutes).find(([route]) => route === prefix + kind)?.[1];
  if (routeAction === undefined) {
    const kinds = Object.keys(seedRoutes).map((route) => route.slice(prefix.length));
    throw controlErrors.unknownSeedKind(kind, kinds);
  }
  assertKnownFields(prefix + kind, fields);
  // Each route of this table returns a resource. An integration is returned with its client.
  const createdResource = (await routeAction(server, [], fields)) as
    | { id: string }
    | { integration: { id: string } };
  return "integration" in createdResource ? createdResource.integration : createdResource;
};

/** Most resources are created by operations of the API, whose validators check the fields. */
export const seedRoutes: ControlRoutes = {
  "POST /seed/user": ({ seed }, _pathValues, fields) =>
    seed.user(
      omitUndefined<{ email: string; name: string }>({
        email: getOptionalString(fields, "email"),
        name: getOptionalString(fields, "name"),
      }),
    ),
  "POST /seed/workspace": ({ seed }, _pathValues, fields) =>
    seed.workspace(
      omitUndefined<{ name: string; ownerId: string }>({
        name: getOptionalString(fields, "name"),
        ownerId: getOptionalString(fields, "ownerId"),
      }),
    ),
  "POST /seed/project": ({ seed }, _pathValues, fields) =>
    seed.project(omitFields(fields, "workspaceId"), parseTargetWorkspace(fields)),
  "POST /seed/database": ({ seed }, _pathValues, fields) =>
    seed.database(getString(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/connection": ({ seed }, _pathValues, fields) =>
    seed.connection(getString(fields, "databaseId"), omitFields(fields, "databaseId")),
  "POST /seed/backup": ({ seed }, _pathValues, fields) => seed.backup(getString(fields, "databaseId")),
  "POST /seed/branch": ({ seed }, _pathValues, fields) =>
    seed.branch(getString(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/app": ({ seed }, _pathValues, fields) =>
    seed.app(getString(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/deployment": ({ seed }, _pathValues, fields) =>
    seed.deployment(getString(fields, "appId"), {
      ...omitFields(fields, "appId", "envVars"),
      ...omitUndefined<{ envVars: Record<string, string> }>({
        envVars: getOptionalVariables(fields, "envVars"),
      }),
    }),
  "POST /seed/service-token": ({ seed }, _pathValues, fields) =>
    seed.serviceToken(omitFields(fields, "workspaceId"), parseTargetWorkspace(fields)),
  "POST /seed/integration": ({ seed }, _pathValues, fields) =>
    seed.integration({
      ...parseTargetWorkspace(fields),
      ...omitUndefined<{ clientName: string; clientId: string; userId: string; scopes: string[] }>({
        clientName: getOptionalString(fields, "clientName"),
        clientId: getOptionalString(fields, "clientId"),
        userId: getOptionalString(fields, "userId"),
        scopes: getOptionalStrings(fields, "scopes"),
      }),
    }),
};
