import { defineHandler } from "../../context/operation-handler.js";
import type { SerializationContext } from "../../context/row-json-cache.js";
import type { OperationContext } from "../../context/operation-context.js";
import { formatTimestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import { respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Branch } from "../../generated/schemas.js";
import type { BranchRow } from "../../store/rows.js";
import { addBranch, findBranch } from "./branch-choice.js";
import { formatCounts } from "../projects/projects.js";
import { requireProject } from "../projects/project-access.js";
import { serializeProjectReference } from "../projects/serialize-project.js";

/** Builds a `Branch` from its row. */
export const serializeBranch = (context: SerializationContext, row: BranchRow): Branch => ({
  id: row.id,
  type: "branch",
  url: context.buildUrl("branches", row.id),
  gitName: row.gitName,
  isDefault: row.isDefault,
  role: row.role,
  createdAt: formatTimestamp(row.createdAt),
  updatedAt: formatTimestamp(row.updatedAt),
  project: serializeProjectReference(context, row.projectId),
});

/** Makes the branch the only default branch of its project. The roles of the branches do not change. */
const setDefaultBranch = (context: OperationContext, newDefaultBranch: BranchRow): BranchRow => {
  if (newDefaultBranch.isDefault) return newDefaultBranch;
  const { branches } = context.store;
  const updatedAt = context.clock.now();
  for (const { id } of branches.list({ projectId: newDefaultBranch.projectId, isDefault: true })) {
    branches.update(id, { isDefault: false, updatedAt });
  }
  return branches.update(newDefaultBranch.id, { isDefault: true, updatedAt });
};

const assertNoResources = (context: OperationContext, branchId: string): void => {
  const databaseCount = context.store.databases.count({ branchId });
  const appCount = context.store.apps.count({ branchId });
  if (databaseCount + appCount > 0)
    throw errors["branch:has_resources"]({
      resources: formatCounts({ database: databaseCount, app: appCount }),
    });
};

/** The handlers of the operations of branches. */
export const branchHandlers = {
  "projects.branches.list": defineHandler("projects.branches.list", {
    check: (call) => {
      const { gitName, gitNameContains } = call.query;
      if (gitName !== undefined && gitNameContains !== undefined) {
        throw errors.validationFailed([
          { path: "query/gitNameContains", message: "cannot be combined with gitName" },
        ]);
      }
      return requireAccess(call, "project", call.path.projectId);
    },
    execute: (call, project) => {
      const { gitName, gitNameContains } = call.query;
      return respondWithPage(
        call,
        call.context.store.branches,
        { projectId: project.id, gitName },
        serializeBranch,
        {
          containing: { gitName: gitNameContains },
        },
      );
    },
  }),

  "projects.branches.create": defineHandler("projects.branches.create", {
    check: (call) => {
      const project = requireProject(call, call.path.projectId);
      const { gitName } = call.body;
      if (findBranch(call.context, project.id, gitName)) throw errors["branch:already_exists"]({ gitName });
      return project;
    },
    execute: ({ context, body }, project) => {
      const addedBranch = addBranch(context, project.id, body.gitName);
      const branch = body.isDefault ? setDefaultBranch(context, addedBranch) : addedBranch;
      return { status: 201, body: { data: serializeBranch(context, branch) } };
    },
  }),

  "branches.get": defineHandler("branches.get", {
    check: (call) => requireAccess(call, "branch", call.path.branchId),
    execute: ({ context }, branch) => ({ status: 200, body: { data: serializeBranch(context, branch) } }),
  }),

  "branches.update": defineHandler("branches.update", {
    check: (call) => {
      const branch = requireAccess(call, "branch", call.path.branchId);
      if (call.body.isDefault === false && branch.isDefault) {
        throw errors.validationFailed([
          { path: "/isDefault", message: "cannot be removed; make another branch the default" },
        ]);
      }
      return branch;
    },
    execute: ({ context, body }, branch) => {
      const changedBranch = body.isDefault === true ? setDefaultBranch(context, branch) : branch;
      return { status: 200, body: { data: serializeBranch(context, changedBranch) } };
    },
  }),

  "branches.delete": defineHandler("branches.delete", {
    check: (call) => {
      const branch = requireAccess(call, "branch", call.path.branchId);
      if (branch.isDefault || branch.role === "production")
        throw errors["branch:default_protected"]({
          issues: [{ path: "path/branchId", message: "names the default or production branch" }],
        });
      assertNoResources(call.context, branch.id);
      return branch;
    },
    execute: ({ context }, branch) => {
      context.store.branches.delete(branch.id);
      return { status: 204 };
    },
  }),
};
