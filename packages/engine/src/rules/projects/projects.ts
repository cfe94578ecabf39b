import { type OperationCall, defineHandler } from "../../context/operation-handler.js";
import type { OperationContext } from "../../context/operation-context.js";
import { byteLength } from "../../values/byte-length.js";
import { errors } from "../../values/errors.js";
import { createFirstPagePreloader, respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { DatabaseRow, ProjectRow } from "../../store/rows.js";
import { addBranch, buildPlacementFields } from "../branches/branch-choice.js";
import { addDatabase } from "../databases/database-creation.js";
import { requestChange } from "../databases/database-changes.js";
import { removeProject } from "../databases/database-removal.js";
import { chooseDatabaseRegion } from "./default-region.js";
import { serializeProjectDatabase } from "../databases/serialize-database.js";
import { serializeProject } from "./serialize-project.js";

/** @throws `project:logical_id_conflict` when another project of the workspace has the `logicalId`. */
const assertProjectLogicalIdFree = (
  context: OperationContext,
  workspaceId: string,
  logicalId: string,
): void => {
  if (context.store.projects.find({ workspaceId, logicalId })) {
    throw errors["project:logical_id_conflict"]({ logicalId });
  }
};

/** Formats `{ database: 1, app: 2 }` as "1 database and 2 apps". Omits kinds with a count of 0. */
export const formatCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${String(count)} ${kind}${count === 1 ? "" : "s"}`)
    .join(" and ");

const findDefaultDatabase = ({ store }: OperationContext, projectId: string): DatabaseRow | undefined =>
  store.databases.find({ projectId, isDefault: true });

/**
 * Refuses to delete a project that has resources other than branches and a default database, which are deleted with it.
 */
const assertNoDependencies = ({ store }: OperationContext, projectId: string): void => {
  const databaseCount = store.databases.count({ projectId, isDefault: false });
  const appCount = store.apps.count({ projectId });
  if (databaseCount + appCount > 0) {
    throw errors["project:has_dependencies"]({
      resources: formatCounts({ "non-default database": databaseCount, app: appCount }),
    });
  }
};

const checkDeleteProject = (call: OperationCall<"projects.delete">): ProjectRow => {
  // A deletion that is in progress may still fail, so another one waits for it rather than finding nothing.
  const project = requireAccess(call, "project", call.path.id);
  assertNoDependencies(call.context, project.id);
  return project;
};

/** Limits the settings of a project, which every change of its row stores again. */
const maxSettingsBytes = 64 * 1024;

/**
 * Merges by key: keys in `changes` are replaced, and other keys do not change. See the `projects.update` operation.
 *
 * @throws `validation:failed` when the merged settings are too large.
 */
const mergeProjectSettings = (
  { settings }: ProjectRow,
  changes: ProjectRow["settings"] = {},
): ProjectRow["settings"] => {
  const mergedSettings = { ...settings, ...changes };
  if (byteLength(JSON.stringify(mergedSettings)) > maxSettingsBytes) {
    throw errors.validationFailed([
      {
        path: "/settings",
        message: `must not exceed ${String(maxSettingsBytes)} bytes of JSON after the merge`,
      },
    ]);
  }
  return mergedSettings;
};

/** The handlers of the operations of projects, without the transfer. */
export const projectHandlers = {
  "projects.list": defineHandler("projects.list", {
    preloads: createFirstPagePreloader("projects"),
    check: () => undefined,
    execute: (call) =>
      respondWithPage(
        call,
        call.context.store.projects,
        { workspaceId: call.principal.workspaceId, logicalId: call.query.logicalId },
        serializeProject,
      ),
  }),

  "projects.create": defineHandler("projects.create", {
    check: ({ context, principal, body }) => {
      if (body.workspaceId !== undefined && body.workspaceId !== principal.workspaceId) {
        throw errors["auth:forbidden/workspace"]();
      }
      if (body.logicalId !== undefined)
        assertProjectLogicalIdFree(context, principal.workspaceId, body.logicalId);
    },
    execute: ({ context, principal, body }) => {
      const project = context.store.projects.insert({
        id: context.ids.generateId("project"),
        createdAt: context.clock.now(),
        workspaceId: principal.workspaceId,
        name: body.name ?? context.ids.generateName(),
        logicalId: body.logicalId ?? null,
        defaultRegion: body.region ?? null,
        settings: {},
      });
      const branch = addBranch(context, project.id, "main", "production");
      if (!body.createDatabase) {
        return { status: 201, body: { data: { ...serializeProject(context, project), database: null } } };
      }
      const { database, connection } = addDatabase(context, {
        ...buildPlacementFields(project, branch),
        name: project.name,
        logicalId: null,
        region: chooseDatabaseRegion(context, project, "inherit"),
        isDefault: true,
        source: { type: "empty" },
      });
      return {
        status: 201,
        body: {
          data: {
            ...serializeProject(context, project),
            database: serializeProjectDatabase(context, database, connection),
          },
        },
      };
    },
  }),

  "projects.get": defineHandler("projects.get", {
    check: (call) => requireAccess(call, "project", call.path.id),
    execute: ({ context }, project) => ({ status: 200, body: { data: serializeProject(context, project) } }),
  }),

  "projects.update": defineHandler("projects.update", {
    check: (call) => {
      const project = requireAccess(call, "project", call.path.id);
      return { project, settings: mergeProjectSettings(project, call.body.settings) };
    },
    execute: ({ context, body }, { project, settings }) => {
      const changedProject = context.store.projects.update(project.id, {
        name: body.name ?? project.name,
        settings,
      });
      return { status: 200, body: { data: serializeProject(context, changedProject) } };
    },
  }),

  "projects.delete": defineHandler("projects.delete", {
    check: checkDeleteProject,
    execute: ({ context }, project) => {
      const database = findDefaultDatabase(context, project.id);
      if (database === undefined) {
        removeProject(context, project.id);
        return { status: 204 };
      }
      const change = { type: "deleteDatabase", projectId: project.id } as const;
      return { status: 204, after: requestChange(context, database, change) };
    },
  }),
};
