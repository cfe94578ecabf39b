import { errors } from "../../values/errors.js";
import { type SuccessResponse, type OperationCall, defineHandler } from "../../context/operation-handler.js";
import { createFirstPagePreloader, respondWithPage } from "../../request/paging.js";
import type { RowSerializer } from "../../context/row-json-cache.js";
import { requireAccess } from "../../request/resource-access.js";
import type { AppRow } from "../../store/rows.js";
import { assertAppLogicalIdFree, assertAppNameFree, assertNewAppIdentityFree } from "./app-identities.js";
import {
  type BranchChoice,
  chooseBranch,
  requireDefaultBranch,
  findChosenBranchId,
  assertNoLogicalIdWithGitName,
  assertNoLogicalIdWithMove,
  assertAtMostOneBranchField,
  ensureBranch,
} from "../branches/branch-choice.js";
import { toBranchLookup, assertOneBranchFilter } from "../branches/branch-filter.js";
import { buildAppDomain } from "./domains.js";
import { chooseAppRegion } from "../projects/default-region.js";
import { requireProject } from "../projects/project-access.js";
import { type AppCollection, serializeApp } from "./serialize-app.js";
import { createPromoteHandler } from "./promotion.js";

type ListAppsCall = OperationCall<"apps.list" | "services.list">;
type CreateAppCall = OperationCall<"apps.create" | "services.create">;
type UpdateCall = OperationCall<"apps.update" | "services.update">;
type SingleAppCall = OperationCall<
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

const createAppResponse = (
  status: 200 | 201,
  { context }: OperationCall,
  collection: AppCollection,
  app: AppRow,
): SuccessResponse => ({
  status,
  body: { data: serializeApp(context, collection, app) },
});

const ensureBranchFields = ({ context }: OperationCall, projectId: string, branchChoice: BranchChoice) => {
  if (branchChoice === "unassigned") return { branchId: null, branchGitName: null };
  const { id: branchId, gitName: branchGitName } = ensureBranch(context, projectId, branchChoice);
  return { branchId, branchGitName };
};

const createListHandler = (collection: AppCollection) => {
  const serialize: RowSerializer<AppRow> = (context, row) => serializeApp(context, collection, row);
  return {
    check: (call: ListAppsCall) => assertOneBranchFilter(call.query),
    execute: (call: ListAppsCall) => {
      const { projectId, logicalId } = call.query;
      return respondWithPage(
        call,
        call.context.store.apps,
        { workspaceId: call.principal.workspaceId, projectId, logicalId, ...toBranchLookup(call.query) },
        serialize,
      );
    },
  };
};

const checkCreateApp = (call: CreateAppCall) => {
  const { context, body } = call;
  assertAtMostOneBranchField(body);
  assertNoLogicalIdWithGitName(body);
  const project = requireProject(call, body.projectId);
  const branchChoice: BranchChoice = chooseBranch(call, project.id, body) ?? {
    branch: requireDefaultBranch(context, project.id),
  };
  const scope = { projectId: project.id, branchId: findChosenBranchId(branchChoice) };
  assertNewAppIdentityFree(context, scope, body.displayName, body.logicalId ?? null);
  return { project, branchChoice };
};

const createCreateHandler = (collection: AppCollection) => ({
  check: checkCreateApp,
  execute: (call: CreateAppCall, { project, branchChoice }: ReturnType<typeof checkCreateApp>) => {
    const { context, body } = call;
    const id = context.ids.generateId("app");
    const app = context.store.apps.insert({
      id,
      createdAt: context.clock.now(),
      workspaceId: project.workspaceId,
      projectId: project.id,
      ...ensureBranchFields(call, project.id, branchChoice),
      name: body.displayName,
      logicalId: body.logicalId ?? null,
      region: chooseAppRegion(project, body.regionId),
      endpointDomain: buildAppDomain(id, body.displayName),
      latestDeploymentId: null,
      domains: [],
    });
    return createAppResponse(201, call, collection, app);
  },
});

const createGetHandler = (collection: AppCollection) => ({
  check: requireApp,
  execute: (call: OperationCall, app: AppRow) => createAppResponse(200, call, collection, app),
});

const checkUpdate = (call: UpdateCall) => {
  const { context, body } = call;
  assertAtMostOneBranchField(body);
  assertNoLogicalIdWithMove(body);
  const app = requireApp(call);
  const branchChoice = chooseBranch(call, app.projectId, body);
  const scope = {
    projectId: app.projectId,
    branchId: branchChoice === undefined ? app.branchId : findChosenBranchId(branchChoice),
  };
  const name = body.displayName ?? app.name;
  const logicalId = body.logicalId === undefined ? app.logicalId : body.logicalId;
  assertAppNameFree(context, scope, name, app);
  if (logicalId !== null) assertAppLogicalIdFree(context, scope, logicalId, app);
  if (app.logicalId !== null && logicalId !== null && logicalId !== app.logicalId) {
    throw errors["app:logical_id_bound"]({ logicalId: app.logicalId });
  }
  return { app, branchChoice, name, logicalId };
};

const createUpdateHandler = (collection: AppCollection) => ({
  check: checkUpdate,
  execute: (call: UpdateCall, { app, branchChoice, name, logicalId }: ReturnType<typeof checkUpdate>) => {
    const { context } = call;
    const branchFields =
      branchChoice === undefined ? {} : ensureBranchFields(call, app.projectId, branchChoice);
    return createAppResponse(
      200,
      call,
      collection,
      context.store.apps.update(app.id, { name, logicalId, ...branchFields }),
    );
  },
});

const listDeploymentIds = ({ context }: OperationCall, app: AppRow): string[] =>
  context.store.deployments.list({ appId: app.id }).map(({ id }) => id);

const checkDeleteApp = (call: SingleAppCall) => {
  const app = requireApp(call);
  const deploymentInTransition = call.context.store.deployments.find({
    appId: app.id,
    status: ["provisioning", "stopping"],
  });
  if (deploymentInTransition) throw errors["app:deployments_not_deletable"]();
  return { app, deploymentIds: listDeploymentIds(call, app) };
};

/** Deletes an app and its deployments. Running deployments are stopped. */
const deleteHandler = {
  check: checkDeleteApp,
  execute: (
    call: SingleAppCall,
    { app, deploymentIds }: ReturnType<typeof checkDeleteApp>,
  ): SuccessResponse => {
    const { store } = call.context;
    const currentDeploymentIds = listDeploymentIds(call, app);
    if (currentDeploymentIds.some((id) => !deploymentIds.includes(id)))
      throw errors["app:deployments_not_deletable"]();
    for (const id of currentDeploymentIds) store.deployments.delete(id);
    store.apps.delete(app.id);
    return { status: 204 };
  },
};

/** The handlers of the operations of apps and services. */
export const appHandlers = {
  "apps.list": defineHandler("apps.list", {
    ...createListHandler("apps"),
    preloads: createFirstPagePreloader("apps"),
  }),
  "apps.create": defineHandler("apps.create", createCreateHandler("apps")),
  "apps.get": defineHandler("apps.get", createGetHandler("apps")),
  "apps.update": defineHandler("apps.update", createUpdateHandler("apps")),
  "apps.delete": defineHandler("apps.delete", deleteHandler),
  "apps.promote": defineHandler("apps.promote", createPromoteHandler(requireApp)),
  "services.list": defineHandler("services.list", {
    ...createListHandler("services"),
    preloads: createFirstPagePreloader("apps"),
  }),
  "services.create": defineHandler("services.create", createCreateHandler("services")),
  "services.get": defineHandler("services.get", createGetHandler("services")),
  "services.update": defineHandler("services.update", createUpdateHandler("services")),
  "services.delete": defineHandler("services.delete", deleteHandler),
  "services.promote": defineHandler("services.promote", createPromoteHandler(requireApp)),
};
