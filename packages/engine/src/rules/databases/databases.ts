import { databaseErrors } from "./database-errors.js";
import { type OperationCall, type RoutedRequest, handler } from "../../context/operation-handler.js";
import type { RuleContext } from "../../context/rule-context.js";
import { errors } from "../../values/errors.js";
import { firstPageOf, page } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { DatabaseRow, ProjectRow } from "../../store/rows.js";
import type { Preload } from "../../store/preload.js";
import {
  type BranchFields,
  type NamedBranch,
  chooseBranch,
  defaultBranch,
  existingBranchId,
  membership,
  refuseLogicalIdWithGitName,
  refuseLogicalIdWithMove,
  refuseTwoBranches,
  ensureBranch,
} from "../branches/branch-choice.js";
import { branchWhere, refuseTwoBranchFilters } from "../branches/branch-filter.js";
import { addDatabase } from "./database-creation.js";
import { requestChange } from "./database-changes.js";
import { type SourceFields, readSource, refuseUnusableSource } from "./database-sources.js";
import { placeDatabase } from "../projects/default-region.js";
import { requireProject } from "../projects/project-access.js";
import {
  presentCreatedDatabase,
  presentDatabase,
  presentNewDatabase,
  preloadsOfPresented,
} from "./present-database.js";

/** @throws `database:logical_id_conflict` when another database of the branch has the `logicalId`. */
const refuseTakenLogicalId = (
  context: RuleContext,
  branchId: string | null | undefined,
  logicalId: string,
  self?: DatabaseRow,
): void => {
  if (branchId === undefined) return;
  const others = context.store.databases.list({ branchId, logicalId });
  if (others.some(({ id }) => id !== self?.id)) throw databaseErrors.logicalIdConflict(logicalId);
};

/** @throws `validation:failed` for null: an app may have no branch, but every database has one. */
const chooseDatabaseBranch = (
  call: OperationCall,
  projectId: string,
  fields: BranchFields,
): NamedBranch | undefined => {
  const choice = chooseBranch(call, projectId, fields);
  if (choice === "unassigned") {
    throw errors.validationFailed([{ path: "/branchId", message: "must name a branch" }]);
  }
  return choice;
};

type CreateFields = SourceFields & BranchFields & { region?: string; name?: string; isDefault?: boolean };

const checkCreate = (call: OperationCall, projectId: string, fields: CreateFields) => {
  refuseTwoBranches(fields);
  refuseLogicalIdWithGitName(fields);
  const source = readSource(fields);
  const project = requireProject(call, projectId);
  const choice = chooseDatabaseBranch(call, project.id, fields) ?? {
    branch: defaultBranch(call.context, project.id),
  };
  refuseUnusableSource(call, fields);
  const logicalId = fields.logicalId ?? null;
  if (logicalId !== null) refuseTakenLogicalId(call.context, existingBranchId(choice), logicalId);
  return { project, choice, source, logicalId };
};

const create = (context: RuleContext, fields: CreateFields, checked: ReturnType<typeof checkCreate>) => {
  const { project, choice, source, logicalId } = checked;
  return addDatabase(context, {
    ...membership(project, ensureBranch(context, project.id, choice)),
    name: fields.name,
    logicalId,
    region: placeDatabase(context, project, fields.region),
    isDefault: fields.isDefault ?? false,
    source,
  });
};

const checkDelete = (call: OperationCall<"databases.delete">): DatabaseRow => {
  const database = requireAccess(call, "database", call.path.databaseId);
  if (database.isDefault) throw databaseErrors.defaultProtected();
  return database;
};

/** A new database of a project is on its default branch. */
const preloadsOfCreation = ({ path: { projectId } }: RoutedRequest): Preload[] =>
  projectId === undefined
    ? []
    : [
        {
          read: "range",
          table: "branches",
          where: { projectId, isDefault: true },
          after: null,
          limit: 1,
          newestFirst: false,
        },
      ];

export const databaseHandlers = {
  "projects.databases.list": handler("projects.databases.list", {
    check: (call) => requireAccess(call, "project", call.path.projectId),
    act: (call, project: ProjectRow) =>
      page(call, call.context.store.databases, { projectId: project.id }, presentDatabase),
  }),

  "projects.databases.create": handler("projects.databases.create", {
    preloads: preloadsOfCreation,
    check: (call) => checkCreate(call, call.path.projectId, call.body),
    act: ({ context, body }, checked) => {
      const { database, connection } = create(context, body, checked);
      return { status: 201, body: { data: presentNewDatabase(context, database, connection) } };
    },
  }),

  "databases.list": handler("databases.list", {
    preloads: firstPageOf("databases"),
    check: (call) => refuseTwoBranchFilters(call.query),
    act: (call) => {
      const { projectId, logicalId } = call.query;
      return page(
        call,
        call.context.store.databases,
        { workspaceId: call.principal.workspaceId, projectId, logicalId, ...branchWhere(call.query) },
        presentDatabase,
      );
    },
  }),

  "databases.create": handler("databases.create", {
    check: (call) => checkCreate(call, call.body.projectId, call.body),
    act: ({ context, body }, checked) => {
      const { database, connection } = create(context, body, checked);
      return { status: 201, body: { data: presentCreatedDatabase(context, database, connection) } };
    },
  }),

  "databases.get": handler("databases.get", {
    preloads: ({ path }) => preloadsOfPresented(path.databaseId),
    check: (call) => requireAccess(call, "database", call.path.databaseId),
    act: ({ context }, database) => ({ status: 200, body: { data: presentDatabase(context, database) } }),
  }),

  "databases.update": handler("databases.update", {
    preloads: ({ path }) => preloadsOfPresented(path.databaseId),
    check: (call) => {
      const { context, body } = call;
      refuseTwoBranches(body);
      refuseLogicalIdWithMove(body);
      const database = requireAccess(call, "database", call.path.databaseId);
      const choice = chooseDatabaseBranch(call, database.projectId, body);
      const branchId = choice === undefined ? database.branchId : existingBranchId(choice);
      const logicalId = body.logicalId === undefined ? database.logicalId : body.logicalId;
      if (logicalId !== null) refuseTakenLogicalId(context, branchId, logicalId, database);
      return { database, choice, logicalId };
    },
    act: ({ context, body }, { database, choice, logicalId }) => {
      const { branchId, branchGitName } = database;
      const branch = choice && ensureBranch(context, database.projectId, choice);
      const changed = context.store.databases.update(database.id, {
        name: body.name ?? database.name,
        branchId: branch?.id ?? branchId,
        branchGitName: branch?.gitName ?? branchGitName,
        logicalId,
      });
      return { status: 200, body: { data: presentDatabase(context, changed) } };
    },
  }),

  "databases.delete": handler("databases.delete", {
    check: checkDelete,
    act: ({ context }, database) => ({
      status: 204,
      after: requestChange(context, database, { type: "deleteDatabase", projectId: null }),
    }),
  }),
};
