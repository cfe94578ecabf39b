import { appErrors } from "./app-errors.js";
import { type Success, type OperationCall, handler } from "../../context/operation-handler.js";
import { firstPageOf, page } from "../../request/paging.js";
import type { Present } from "../../context/row-texts.js";
import { requireAccess } from "../../request/resource-access.js";
import type { AppRow } from "../../store/rows.js";
import { refuseTakenLogicalId, refuseTakenName, refuseTakenIdentity } from "./app-identities.js";
import {
  type BranchChoice,
  chooseBranch,
  defaultBranch,
  existingBranchId,
  refuseLogicalIdWithGitName,
  refuseLogicalIdWithMove,
  refuseTwoBranches,
  ensureBranch,
} from "../branches/branch-choice.js";
import { branchWhere, refuseTwoBranchFilters } from "../branches/branch-filter.js";
import { appDomain } from "./domains.js";
import { placeApp } from "../projects/default-region.js";
import { requireProject } from "../projects/project-access.js";
import { type AppCollection, presentApp } from "./present-app.js";
import { promote } from "./promotion.js";

type ListCall = OperationCall<"apps.list" | "services.list">;
type CreateCall = OperationCall<"apps.create" | "services.create">;
type UpdateCall = OperationCall<"apps.update" | "services.update">;
type OneCall = OperationCall<
  | "apps.get"
  | "services.get"
  | "apps.update"
  | "services.update"
  | "apps.delete"
  | "services.delete"
  | "apps.promote"
  | "services.promote"
>;

/** Returns the app or service in the path. Throws the same errors as `requireAccess`. */
export const requireApp = (
  call: OperationCall & { readonly path: { readonly appId: string } | { readonly serviceId: string } },
): AppRow => requireAccess(call, "app", "appId" in call.path ? call.path.appId : call.path.serviceId);

const success = (
  status: 200 | 201,
  { context }: OperationCall,
  collection: AppCollection,
  app: AppRow,
): Success => ({
  status,
  body: { data: presentApp(context, collection, app) },
});

const branchFieldsOf = ({ context }: OperationCall, projectId: string, choice: BranchChoice) => {
  if (choice === "unassigned") return { branchId: null, branchGitName: null };
  const { id: branchId, gitName: branchGitName } = ensureBranch(context, projectId, choice);
  return { branchId, branchGitName };
};

const list = (collection: AppCollection) => {
  const present: Present<AppRow> = (context, row) => presentApp(context, collection, row);
  return {
    check: (call: ListCall) => refuseTwoBranchFilters(call.query),
    act: (call: ListCall) => {
      const { projectId, logicalId } = call.query;
      return page(
        call,
        call.context.store.apps,
        { workspaceId: call.principal.workspaceId, projectId, logicalId, ...branchWhere(call.query) },
        present,
      );
    },
  };
};

const checkCreate = (call: CreateCall) => {
  const { context, body } = call;
  refuseTwoBranches(body);
  refuseLogicalIdWithGitName(body);
  const project = requireProject(call, body.projectId);
  const choice: BranchChoice = chooseBranch(call, project.id, body) ?? {
    branch: defaultBranch(context, project.id),
  };
  const scope = { projectId: project.id, branchId: existingBranchId(choice) };
  refuseTakenIdentity(context, scope, body.displayName, body.logicalId ?? null);
  return { project, choice };
};

const create = (collection: AppCollection) => ({
  check: checkCreate,
  act: (call: CreateCall, { project, choice }: ReturnType<typeof checkCreate>) => {
    const { context, body } = call;
    const id = context.ids.id("app");
    const app = context.store.apps.insert({
      id,
      createdAt: context.clock.now(),
      workspaceId: project.workspaceId,
      projectId: project.id,
      ...branchFieldsOf(call, project.id, choice),
      name: body.displayName,
      logicalId: body.logicalId ?? null,
      region: placeApp(project, body.regionId),
      endpointDomain: appDomain(id, body.displayName),
      latestDeploymentId: null,
      domains: [],
    });
    return success(201, call, collection, app);
  },
});

const get = (collection: AppCollection) => ({
  check: requireApp,
  act: (call: OperationCall, app: AppRow) => success(200, call, collection, app),
});

const checkUpdate = (call: UpdateCall) => {
  const { context, body } = call;
  refuseTwoBranches(body);
  refuseLogicalIdWithMove(body);
  const app = requireApp(call);
  const choice = chooseBranch(call, app.projectId, body);
  const scope = {
    projectId: app.projectId,
    branchId: choice === undefined ? app.branchId : existingBranchId(choice),
  };
  const name = body.displayName ?? app.name;
  const logicalId = body.logicalId === undefined ? app.logicalId : body.logicalId;
  refuseTakenName(context, scope, name, app);
  if (logicalId !== null) refuseTakenLogicalId(context, scope, logicalId, app);
  if (app.logicalId !== null && logicalId !== null && logicalId !== app.logicalId) {
    throw appErrors.logicalIdBound(app.logicalId);
  }
  return { app, choice, name, logicalId };
};

const update = (collection: AppCollection) => ({
  check: checkUpdate,
  act: (call: UpdateCall, { app, choice, name, logicalId }: ReturnType<typeof checkUpdate>) => {
    const { context } = call;
    const branchFields = choice === undefined ? {} : branchFieldsOf(call, app.projectId, choice);
    return success(
      200,
      call,
      collection,
      context.store.apps.update(app.id, { name, logicalId, ...branchFields }),
    );
  },
});

const deploymentIdsOf = ({ context }: OperationCall, app: AppRow): string[] =>
  context.store.deployments.list({ appId: app.id }).map(({ id }) => id);

const checkDelete = (call: OneCall) => {
  const app = requireApp(call);
  const inTransition = call.context.store.deployments.find({
    appId: app.id,
    status: ["provisioning", "stopping"],
  });
  if (inTransition) throw appErrors.deploymentsNotDeletable();
  return { app, deploymentIds: deploymentIdsOf(call, app) };
};

/** Deletes an app and its deployments. Running deployments are stopped. */
const remove = {
  check: checkDelete,
  act: (call: OneCall, { app, deploymentIds }: ReturnType<typeof checkDelete>): Success => {
    const { store } = call.context;
    const now = deploymentIdsOf(call, app);
    if (now.some((id) => !deploymentIds.includes(id))) throw appErrors.deploymentsNotDeletable();
    for (const id of now) store.deployments.delete(id);
    store.apps.delete(app.id);
    return { status: 204 };
  },
};

export const appHandlers = {
  "apps.list": handler("apps.list", { ...list("apps"), preloads: firstPageOf("apps") }),
  "apps.create": handler("apps.create", create("apps")),
  "apps.get": handler("apps.get", get("apps")),
  "apps.update": handler("apps.update", update("apps")),
  "apps.delete": handler("apps.delete", remove),
  "apps.promote": handler("apps.promote", promote(requireApp)),
  "services.list": handler("services.list", { ...list("services"), preloads: firstPageOf("apps") }),
  "services.create": handler("services.create", create("services")),
  "services.get": handler("services.get", get("services")),
  "services.update": handler("services.update", update("services")),
  "services.delete": handler("services.delete", remove),
  "services.promote": handler("services.promote", promote(requireApp)),
};
