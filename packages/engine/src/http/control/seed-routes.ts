import { assertKnownFields } from "./control-document.js";
import { controlErrors } from "../../control/control-error.js";
import type { Server } from "../../server/server.js";
import {
  type ControlRoutes,
  type Fields,
  optionalText,
  optionalTexts,
  optionalVariables,
  present,
  text,
} from "./fields.js";

/** Returns the fields except those named: the body of the operation that creates the resource. */
const without = (fields: Fields, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const target = (fields: Fields): { workspaceId?: string } =>
  present<{ workspaceId: string }>({ workspaceId: optionalText(fields, "workspaceId") });

/**
 * Creates a resource of a kind, such as `project`, from the fields of `POST /_control/seed/{kind}`.
 *
 * @throws ControlError for an unknown kind or invalid fields; RequestError when a rule of the API refuses the resource.
 */
export const seedResource = async (engine: Server, kind: string, fields: Fields): Promise<{ id: string }> => {
  const prefix = "POST /seed/";
  const create = Object.entries(seedRoutes).find(([route]) => route === prefix + kind)?.[1];
  if (create === undefined) {
    const kinds = Object.keys(seedRoutes).map((route) => route.slice(prefix.length));
    throw controlErrors.unknownSeed(kind, kinds);
  }
  assertKnownFields(prefix + kind, fields);
  // Each route of this table returns the row, or the resource of the API.
  const created = (await create(engine, [], fields)) as { id: string } | { integration: { id: string } };
  return "integration" in created ? created.integration : created;
};

/** Most resources are created by operations of the API, whose validators check the fields. */
export const seedRoutes: ControlRoutes = {
  "POST /seed/user": ({ seed }, _path, fields) =>
    seed.user(
      present<{ email: string; name: string }>({
        email: optionalText(fields, "email"),
        name: optionalText(fields, "name"),
      }),
    ),
  "POST /seed/workspace": ({ seed }, _path, fields) =>
    seed.workspace(
      present<{ name: string; ownerId: string }>({
        name: optionalText(fields, "name"),
        ownerId: optionalText(fields, "ownerId"),
      }),
    ),
  "POST /seed/project": ({ seed }, _path, fields) =>
    seed.project(without(fields, "workspaceId"), target(fields)),
  "POST /seed/database": ({ seed }, _path, fields) =>
    seed.database(text(fields, "projectId"), without(fields, "projectId")),
  "POST /seed/connection": ({ seed }, _path, fields) =>
    seed.connection(text(fields, "databaseId"), without(fields, "databaseId")),
  "POST /seed/backup": ({ seed }, _path, fields) => seed.backup(text(fields, "databaseId")),
  "POST /seed/branch": ({ seed }, _path, fields) =>
    seed.branch(text(fields, "projectId"), without(fields, "projectId")),
  "POST /seed/app": ({ seed }, _path, fields) =>
    seed.app(text(fields, "projectId"), without(fields, "projectId")),
  "POST /seed/deployment": ({ seed }, _path, fields) =>
    seed.deployment(text(fields, "appId"), {
      ...without(fields, "appId", "envVars"),
      ...present<{ envVars: Record<string, string> }>({ envVars: optionalVariables(fields, "envVars") }),
    }),
  "POST /seed/service-token": ({ seed }, _path, fields) =>
    seed.serviceToken(without(fields, "workspaceId"), target(fields)),
  "POST /seed/integration": ({ seed }, _path, fields) =>
    seed.integration({
      ...target(fields),
      ...present<{ clientName: string; clientId: string; userId: string; scopes: string[] }>({
        clientName: optionalText(fields, "clientName"),
        clientId: optionalText(fields, "clientId"),
        userId: optionalText(fields, "userId"),
        scopes: optionalTexts(fields, "scopes"),
      }),
    }),
};
