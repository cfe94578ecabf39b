import { projectErrors } from "./project-errors.js";
import { type OperationCall, handler } from "../../context/operation-handler.js";
import type { RuleContext } from "../../context/rule-context.js";
import { byteLength } from "../../values/byte-length.js";
import { errors } from "../../values/errors.js";
import { firstPageOf, page } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { DatabaseRow, ProjectRow } from "../../store/rows.js";
import { addBranch, membership } from "../branches/branch-choice.js";
import { addDatabase } from "../databases/database-creation.js";
import { requestChange } from "../databases/database-changes.js";
import { removeProject } from "../databases/database-removal.js";
import { placeDatabase } from "./default-region.js";
import { presentProjectDatabase } from "../databases/present-database.js";
import { presentProject } from "./present-project.js";

/** @throws `project:logical_id_conflict` when another project of the workspace has the `logicalId`. */
export const refuseTakenLogicalId = (context: RuleContext, workspaceId: string, logicalId: string): void => {
  if (context.store.projects.find({ workspaceId, logicalId })) {
    throw projectErrors.logicalIdConflict(logicalId);
  }
};

/** Formats `{ database: 1, app: 2 }` as "1 database and 2 apps". Omits kinds with a count of 0. */
export const countOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${String(count)} ${kind}${count === 1 ? "" : "s"}`)
    .join(" and ");

const defaultDatabaseOf = ({ store }: RuleContext, projectId: string): DatabaseRow | undefined =>
  store.databases.find({ projectId, isDefault: true });

/**
 * Refuses to delete a project that has resources other than branches and a default database, which are deleted with it.
 */
const refuseDependencies = ({ store }: RuleContext, projectId: string): void => {
  const databases = store.databases.count({ projectId, isDefault: false });
  const apps = store.apps.count({ projectId });
  if (databases + apps > 0) {
    throw projectErrors.hasDependencies(countOf({ "non-default database": databases, app: apps }));
  }
};

const checkDelete = (call: OperationCall<"projects.delete">): ProjectRow => {
  // A deletion that is under way may still fail, so another one waits for it rather than finding nothing.
  const project = requireAccess(call, "project", call.path.id);
  refuseDependencies(call.context, project.id);
  return project;
};

/** Limits the settings of a project, which every change of its row stores again. */
const maxSettingsBytes = 64 * 1024;

/**
 * Merges by key: keys in `changes` are replaced, and other keys do not change. See the `projects.update` operation.
 *
 * @throws `validation:failed` when the merged settings are too large.
 */
const mergeSettings = (
  { settings }: ProjectRow,
  changes: ProjectRow["settings"] = {},
): ProjectRow["settings"] => {
  const merged = { ...settings, ...changes };
  if (byteLength(JSON.stringify(merged)) > maxSettingsBytes) {
    throw errors.validationFailed([
      {
        path: "/settings",
        message: `must not exceed ${String(maxSettingsBytes)} bytes of JSON after the merge`,
      },
    ]);
  }
  return merged;
};

export const projectHandlers = {
  "projects.list": handler("projects.list", {
    preloads: firstPageOf("projects"),
    check: () => undefined,
    act: (call) =>
      page(
        call,
        call.context.store.projects,
        { workspaceId: call.principal.workspaceId, logicalId: call.query.logicalId },
        presentProject,
      ),
  }),

  "projects.create": handler("projects.create", {
    check: ({ context, principal, body }) => {
      if (body.workspaceId !== undefined && body.workspaceId !== principal.workspaceId) {
        throw errors.forbidden("The credential has no access to this workspace");
      }
      if (body.logicalId !== undefined) refuseTakenLogicalId(context, principal.workspaceId, body.logicalId);
    },
    act: ({ context, principal, body }) => {
      const project = context.store.projects.insert({
        id: context.ids.id("project"),
        createdAt: context.clock.now(),
        workspaceId: principal.workspaceId,
        name: body.name ?? context.ids.name(),
        logicalId: body.logicalId ?? null,
        defaultRegion: body.region ?? null,
        settings: {},
      });
      const branch = addBranch(context, project.id, "main", "production");
      if (!body.createDatabase) {
        return { status: 201, body: { data: { ...presentProject(context, project), database: null } } };
      }
      const { database, connection } = addDatabase(context, {
        ...membership(project, branch),
        name: project.name,
        logicalId: null,
        region: placeDatabase(context, project, "inherit"),
        isDefault: true,
        source: { type: "empty" },
      });
      return {
        status: 201,
        body: {
          data: {
            ...presentProject(context, project),
            database: presentProjectDatabase(context, database, connection),
          },
        },
      };
    },
  }),

  "projects.get": handler("projects.get", {
    check: (call) => requireAccess(call, "project", call.path.id),
    act: ({ context }, project) => ({ status: 200, body: { data: presentProject(context, project) } }),
  }),

  "projects.update": handler("projects.update", {
    check: (call) => {
      const project = requireAccess(call, "project", call.path.id);
      return { project, settings: mergeSettings(project, call.body.settings) };
    },
    act: ({ context, body }, { project, settings }) => {
      const changed = context.store.projects.update(project.id, {
        name: body.name ?? project.name,
        settings,
      });
      return { status: 200, body: { data: presentProject(context, changed) } };
    },
  }),

  "projects.delete": handler("projects.delete", {
    check: checkDelete,
    act: ({ context }, project) => {
      const database = defaultDatabaseOf(context, project.id);
      if (database === undefined) {
        removeProject(context, project.id);
        return { status: 204 };
      }
      const change = { type: "deleteDatabase", projectId: project.id } as const;
      return { status: 204, after: requestChange(context, database, change) };
    },
  }),
};
