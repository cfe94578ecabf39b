import { type OperationCall, type RoutedRequest, defineHandler } from "../../context/operation-handler.js";
import type { OperationContext } from "../../context/operation-context.js";
import { errors } from "../../values/errors.js";
import { createFirstPagePreloader, respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type { DatabaseRow, ProjectRow } from "../../store/rows.js";
import type { Preload } from "../../store/preload.js";
import {
  type PlacementFields,
  type NamedBranch,
  chooseBranch,
  requireDefaultBranch,
  findChosenBranchId,
  buildPlacementFields,
  assertNoLogicalIdWithGitName,
  assertNoLogicalIdWithMove,
  assertAtMostOneBranchField,
  ensureBranch,
} from "../branches/branch-choice.js";
import { toBranchLookup, assertOneBranchFilter } from "../branches/branch-filter.js";
import { addDatabase } from "./database-creation.js";
import { requestChange } from "./database-changes.js";
import { type SourceFields, resolveSource, assertUsableSource } from "./database-sources.js";
import { chooseDatabaseRegion } from "../projects/default-region.js";
import { requireProject } from "../projects/project-access.js";
import {
  serializeCreatedDatabase,
  serializeDatabase,
  serializeNewDatabase,
  listDatabaseReferencePreloads,
} from "./serialize-database.js";

/** @throws `database:logical_id_conflict` when another database of the branch has the `logicalId`. */
const assertDatabaseLogicalIdFree = (
  context: OperationContext,
  branchId: string | null | undefined,
  logicalId: string,
  changedDatabase?: DatabaseRow,
): void => {
  if (branchId === undefined) return;
  const databasesWithLogicalId = context.store.databases.list({ branchId, logicalId });
  if (databasesWithLogicalId.some(({ id }) => id !== changedDatabase?.id))
    throw errors["database:logical_id_conflict"]({ logicalId });
};

/** @throws `validation:failed` for null: an app may have no branch, but every database has one. */
const chooseDatabaseBranch = (
  call: OperationCall,
  projectId: string,
  fields: PlacementFields,
): NamedBranch | undefined => {
  const branchChoice = chooseBranch(call, projectId, fields);
  if (branchChoice === "unassigned") {
    throw errors.validationFailed([{ path: "/branchId", message: "must name a branch" }]);
  }
  return branchChoice;
};

type CreateFields = SourceFields & PlacementFields & { region?: string; name?: string; isDefault?: boolean };

const checkCreateDatabase = (call: OperationCall, projectId: string, fields: CreateFields) => {
  assertAtMostOneBranchField(fields);
  assertNoLogicalIdWithGitName(fields);
  const source = resolveSource(fields);
  const project = requireProject(call, projectId);
  const branchChoice = chooseDatabaseBranch(call, project.id, fields) ?? {
    branch: requireDefaultBranch(call.context, project.id),
  };
  assertUsableSource(call, fields);
  const logicalId = fields.logicalId ?? null;
  if (logicalId !== null)
    assertDatabaseLogicalIdFree(call.context, findChosenBranchId(branchChoice), logicalId);
  return { project, branchChoice, source, logicalId };
};

const addRequestedDatabase = (
  context: OperationContext,
  fields: CreateFields,
  checkedRequest: ReturnType<typeof checkCreateDatabase>,
) => {
  const { project, branchChoice, source, logicalId } = checkedRequest;
  return addDatabase(context, {
    ...buildPlacementFields(project, ensureBranch(context, project.id, branchChoice)),
    name: fields.name,
    logicalId,
    region: chooseDatabaseRegion(context, project, fields.region),
    isDefault: fields.isDefault ?? false,
    source,
  });
};

const checkDeleteDatabase = (call: OperationCall<"databases.delete">): DatabaseRow => {
  const database = requireAccess(call, "database", call.path.databaseId);
  if (database.isDefault) throw errors["database:default_protected"]();
  return database;
};

/** Returns the preload of the default branch of a project, which a new database is on. */
const listDefaultBranchPreloads = ({ path: { projectId } }: RoutedRequest): Preload[] =>
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

/** The handlers of the operations of databases, except for backups, connections, restores, and usage. */
export const databaseHandlers = {
  "projects.databases.list": defineHandler("projects.databases.list", {
    check: (call) => requireAccess(call, "project", call.path.projectId),
    execute: (call, project: ProjectRow) =>
      respondWithPage(call, call.context.store.databases, { projectId: project.id }, serializeDatabase),
  }),

  "projects.databases.create": defineHandler("projects.databases.create", {
    preloads: listDefaultBranchPreloads,
    check: (call) => checkCreateDatabase(call, call.path.projectId, call.body),
    execute: ({ context, body }, checkedRequest) => {
      const { database, connection } = addRequestedDatabase(context, body, checkedRequest);
      return { status: 201, body: { data: serializeNewDatabase(context, database, connection) } };
    },
  }),

  "databases.list": defineHandler("databases.list", {
    preloads: createFirstPagePreloader("databases"),
    check: (call) => assertOneBranchFilter(call.query),
    execute: (call) => {
      const { projectId, logicalId } = call.query;
      return respondWithPage(
        call,
        call.context.store.databases,
        { workspaceId: call.principal.workspaceId, projectId, logicalId, ...toBranchLookup(call.query) },
        serializeDatabase,
      );
    },
  }),

  "databases.create": defineHandler("databases.create", {
    check: (call) => checkCreateDatabase(call, call.body.projectId, call.body),
    execute: ({ context, body }, checkedRequest) => {
      const { database, connection } = addRequestedDatabase(context, body, checkedRequest);
      return { status: 201, body: { data: serializeCreatedDatabase(context, database, connection) } };
    },
  }),

  "databases.get": defineHandler("databases.get", {
    preloads: ({ path }) => listDatabaseReferencePreloads(path.databaseId),
    check: (call) => requireAccess(call, "database", call.path.databaseId),
    execute: ({ context }, database) => ({
      status: 200,
      body: { data: serializeDatabase(context, database) },
    }),
  }),

  "databases.update": defineHandler("databases.update", {
    preloads: ({ path }) => listDatabaseReferencePreloads(path.databaseId),
    check: (call) => {
      const { context, body } = call;
      assertAtMostOneBranchField(body);
      assertNoLogicalIdWithMove(body);
      const database = requireAccess(call, "database", call.path.databaseId);
      const branchChoice = chooseDatabaseBranch(call, database.projectId, body);
      const branchId = branchChoice === undefined ? database.branchId : findChosenBranchId(branchChoice);
      const logicalId = body.logicalId === undefined ? database.logicalId : body.logicalId;
      if (logicalId !== null) assertDatabaseLogicalIdFree(context, branchId, logicalId, database);
      return { database, branchChoice, logicalId };
    },
    execute: ({ context, body }, { database, branchChoice, logicalId }) => {
      const { branchId, branchGitName } = database;
      const branch = branchChoice && ensureBranch(context, database.projectId, branchChoice);
      const changedDatabase = context.store.databases.update(database.id, {
        name: body.name ?? database.name,
        branchId: branch?.id ?? branchId,
        branchGitName: branch?.gitName ?? branchGitName,
        logicalId,
      });
      return { status: 200, body: { data: serializeDatabase(context, changedDatabase) } };
    },
  }),

  "databases.delete": defineHandler("databases.delete", {
    check: checkDeleteDatabase,
    execute: ({ context }, database) => ({
      status: 204,
      after: requestChange(context, database, { type: "deleteDatabase", projectId: null }),
    }),
  }),
};
