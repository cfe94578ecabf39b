import { assertKnownFields } from "./control-document.js";
import { controlErrors } from "../../control/control-error.js";
import type { Server } from "../../server/server.js";
import {
  type ControlRoutes,
  type Fields,
  getOptionalText,
  getOptionalTexts,
  getOptionalVariables,
  omitUndefined,
  getText,
} from "./fields.js";

/** Returns the fields except those named: the body of the operation that creates the resource. */
const omitFields = (fields: Fields, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const getTargetWorkspace = (fields: Fields): { workspaceId?: string } =>
  omitUndefined<{ workspaceId: string }>({ workspaceId: getOptionalText(fields, "workspaceId") });

/**
 * Creates a resource of a kind, such as `project`, from the fields of `POST /_control/seed/{kind}`.
 *
 * @throws ControlError for an unknown kind or invalid fields; RequestError when a rule of the API refuses the resource.
 */
export const seedResource = async (engine: Server, kind: string, fields: Fields): Promise<{ id: string }> => {
  const prefix = "POST /seed/";
  const createResource = Object.entries(seedRoutes).find(([route]) => route === prefix + kind)?.[1];
  if (createResource === undefined) {
    const kinds = Object.keys(seedRoutes).map((route) => route.slice(prefix.length));
    throw controlErrors.unknownSeed(kind, kinds);
  }
  assertKnownFields(prefix + kind, fields);
  // Each route of this table returns a resource, that of integrations with its client.
  const createdResource = (await createResource(engine, [], fields)) as
    | { id: string }
    | { integration: { id: string } };
  return "integration" in createdResource ? createdResource.integration : createdResource;
};

/** Most resources are created by operations of the API, whose validators check the fields. */
export const seedRoutes: ControlRoutes = {
  "POST /seed/user": ({ seed }, _path, fields) =>
    seed.user(
      omitUndefined<{ email: string; name: string }>({
        email: getOptionalText(fields, "email"),
        name: getOptionalText(fields, "name"),
      }),
    ),
  "POST /seed/workspace": ({ seed }, _path, fields) =>
    seed.workspace(
      omitUndefined<{ name: string; ownerId: string }>({
        name: getOptionalText(fields, "name"),
        ownerId: getOptionalText(fields, "ownerId"),
      }),
    ),
  "POST /seed/project": ({ seed }, _path, fields) =>
    seed.project(omitFields(fields, "workspaceId"), getTargetWorkspace(fields)),
  "POST /seed/database": ({ seed }, _path, fields) =>
    seed.database(getText(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/connection": ({ seed }, _path, fields) =>
    seed.connection(getText(fields, "databaseId"), omitFields(fields, "databaseId")),
  "POST /seed/backup": ({ seed }, _path, fields) => seed.backup(getText(fields, "databaseId")),
  "POST /seed/branch": ({ seed }, _path, fields) =>
    seed.branch(getText(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/app": ({ seed }, _path, fields) =>
    seed.app(getText(fields, "projectId"), omitFields(fields, "projectId")),
  "POST /seed/deployment": ({ seed }, _path, fields) =>
    seed.deployment(getText(fields, "appId"), {
      ...omitFields(fields, "appId", "envVars"),
      ...omitUndefined<{ envVars: Record<string, string> }>({
        envVars: getOptionalVariables(fields, "envVars"),
      }),
    }),
  "POST /seed/service-token": ({ seed }, _path, fields) =>
    seed.serviceToken(omitFields(fields, "workspaceId"), getTargetWorkspace(fields)),
  "POST /seed/integration": ({ seed }, _path, fields) =>
    seed.integration({
      ...getTargetWorkspace(fields),
      ...omitUndefined<{ clientName: string; clientId: string; userId: string; scopes: string[] }>({
        clientName: getOptionalText(fields, "clientName"),
        clientId: getOptionalText(fields, "clientId"),
        userId: getOptionalText(fields, "userId"),
        scopes: getOptionalTexts(fields, "scopes"),
      }),
    }),
};
