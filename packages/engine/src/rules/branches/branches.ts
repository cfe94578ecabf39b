import { branchErrors } from "./branch-errors.js";
import { handler } from "../../context/operation-handler.js";
import type { RowContext } from "../../context/row-texts.js";
import type { RuleContext } from "../../context/rule-context.js";
import { timestamp } from "../../values/clock.js";
import { errors } from "../../values/errors.js";
import { page } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { Branch } from "../../generated/schemas.js";
import type { BranchRow } from "../../store/rows.js";
import { addBranch, findBranch } from "./branch-choice.js";
import { countOf } from "../projects/projects.js";
import { requireProject } from "../projects/project-access.js";
import { presentProjectReference } from "../projects/present-project.js";

const presentBranch = (context: RowContext, row: BranchRow): Branch => ({
  id: row.id,
  type: "branch",
  url: context.url("branches", row.id),
  gitName: row.gitName,
  isDefault: row.isDefault,
  role: row.role,
  createdAt: timestamp(row.createdAt),
  updatedAt: timestamp(row.updatedAt),
  project: presentProjectReference(context, row.projectId),
});

/** Makes the branch the only default branch of its project. The roles of the branches do not change. */
const moveDefault = (context: RuleContext, target: BranchRow): BranchRow => {
  if (target.isDefault) return target;
  const { branches } = context.store;
  const updatedAt = context.clock.now();
  for (const { id } of branches.list({ projectId: target.projectId, isDefault: true })) {
    branches.update(id, { isDefault: false, updatedAt });
  }
  return branches.update(target.id, { isDefault: true, updatedAt });
};

const refuseMembers = (context: RuleContext, branchId: string): void => {
  const databases = context.store.databases.count({ branchId });
  const apps = context.store.apps.count({ branchId });
  if (databases + apps > 0) throw branchErrors.hasResources(countOf({ database: databases, app: apps }));
};

export const branchHandlers = {
  "projects.branches.list": handler("projects.branches.list", {
    check: (call) => {
      const { gitName, gitNameContains } = call.query;
      if (gitName !== undefined && gitNameContains !== undefined) {
        throw errors.validationFailed([
          { path: "query/gitNameContains", message: "cannot be combined with gitName" },
        ]);
      }
      return requireAccess(call, "project", call.path.projectId);
    },
    act: (call, project) => {
      const { gitName, gitNameContains } = call.query;
      return page(call, call.context.store.branches, { projectId: project.id, gitName }, presentBranch, {
        containing: { gitName: gitNameContains },
      });
    },
  }),

  "projects.branches.create": handler("projects.branches.create", {
    check: (call) => {
      const project = requireProject(call, call.path.projectId);
      const { gitName } = call.body;
      if (findBranch(call.context, project.id, gitName)) throw branchErrors.alreadyExists(gitName);
      return project;
    },
    act: ({ context, body }, project) => {
      const added = addBranch(context, project.id, body.gitName);
      const branch = body.isDefault ? moveDefault(context, added) : added;
      return { status: 201, body: { data: presentBranch(context, branch) } };
    },
  }),

  "branches.get": handler("branches.get", {
    check: (call) => requireAccess(call, "branch", call.path.branchId),
    act: ({ context }, branch) => ({ status: 200, body: { data: presentBranch(context, branch) } }),
  }),

  "branches.update": handler("branches.update", {
    check: (call) => {
      const branch = requireAccess(call, "branch", call.path.branchId);
      if (call.body.isDefault === false && branch.isDefault) {
        throw errors.validationFailed([
          { path: "/isDefault", message: "cannot be removed; make another branch the default" },
        ]);
      }
      return branch;
    },
    act: ({ context, body }, branch) => {
      const changed = body.isDefault === true ? moveDefault(context, branch) : branch;
      return { status: 200, body: { data: presentBranch(context, changed) } };
    },
  }),

  "branches.delete": handler("branches.delete", {
    check: (call) => {
      const branch = requireAccess(call, "branch", call.path.branchId);
      if (branch.isDefault || branch.role === "production") throw branchErrors.defaultProtected();
      refuseMembers(call.context, branch.id);
      return branch;
    },
    act: ({ context }, branch) => {
      context.store.branches.delete(branch.id);
      return { status: 204 };
    },
  }),
};
