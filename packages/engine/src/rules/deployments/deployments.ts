import { type OperationCall, defineHandler } from "../../context/operation-handler.js";
import type { SerializationContext } from "../../context/row-json-cache.js";
import type { OperationContext } from "../../context/operation-context.js";
import { formatTimestamp } from "../../values/clock.js";
import { computeDigest } from "../../values/digest.js";
import { errors } from "../../values/errors.js";
import { respondWithPage } from "../../request/paging.js";
import { requireAccess } from "../../request/resource-access.js";
import type {
  CreatedDeployment,
  Deployment,
  DeploymentDetails,
  PortMapping,
} from "../../generated/schemas.js";
import type { AppRow, DeploymentRow } from "../../store/rows.js";
import { requireApp } from "../apps/apps.js";
import {
  startDeployment,
  stopDeployment,
  isDeletable,
  isStartable,
  isStoppable,
} from "./deployment-lifecycle.js";

const serializeDeployment = (context: SerializationContext, row: DeploymentRow): Deployment => ({
  id: row.id,
  type: "deployment",
  url: context.buildUrl("deployments", row.id),
  serviceId: row.appId,
  foundryVersionId: row.foundryVersionId,
  createdAt: formatTimestamp(row.createdAt),
});

/** Sorts variables by name, so that responses do not depend on the storage adapter. */
const sortVariables = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).sort(([left], [right]) => (left < right ? -1 : 1)));

/** Builds a `DeploymentDetails` from its row. */
export const serializeDeploymentDetails = (
  context: SerializationContext,
  row: DeploymentRow,
): DeploymentDetails => ({
  ...serializeDeployment(context, row),
  status: row.status,
  previewDomain: row.previewDomain,
  ...(row.envVars && { envVars: sortVariables(row.envVars) }),
  ...(row.portMapping && { portMapping: { ...row.portMapping } }),
});

/** Converts the port mapping of a request. A null port is treated as absent. */
const toPortMapping = (portMapping: PortMapping | undefined): DeploymentRow["portMapping"] => {
  if (portMapping === undefined) return null;
  const { http } = portMapping;
  return typeof http === "number" ? { http } : {};
};

type ListDeploymentsCall =
  | OperationCall<"apps.deployments.list">
  | OperationCall<"services.deployments.list">;
type CreateDeploymentCall =
  | OperationCall<"apps.deployments.create">
  | OperationCall<"services.deployments.create">;

// An app is a service, so both routes list and create the same deployments.
const listHandler = {
  check: requireApp,
  execute: (call: ListDeploymentsCall, app: AppRow) =>
    respondWithPage(call, call.context.store.deployments, { appId: app.id }, serializeDeployment),
};

const checkCreateDeployment = (call: CreateDeploymentCall) => {
  const app = requireApp(call);
  const latestDeployment =
    app.latestDeploymentId === null ? undefined : call.context.store.deployments.get(app.latestDeploymentId);
  if (call.body.skipCodeUpload && latestDeployment === undefined) {
    throw errors.validationFailed([
      { path: "/skipCodeUpload", message: "requires a promoted deployment whose code can be reused" },
    ]);
  }
  return { app, reusedDeployment: call.body.skipCodeUpload ? latestDeployment : undefined };
};

const createHandler = {
  check: checkCreateDeployment,
  execute: (
    { context, body }: CreateDeploymentCall,
    { app, reusedDeployment }: ReturnType<typeof checkCreateDeployment>,
  ) => {
    const uploadKey = reusedDeployment === undefined ? context.ids.generateSecret(43) : null;
    const deployment = context.store.deployments.insert({
      id: context.ids.generateId("deployment"),
      createdAt: context.clock.now(),
      appId: app.id,
      foundryVersionId: `ver_${context.ids.generateLabel(24)}`,
      status: reusedDeployment === undefined ? "created" : "uploaded",
      previewDomain: null,
      portMapping: toPortMapping(body.portMapping) ?? reusedDeployment?.portMapping ?? null,
      envVars: reusedDeployment?.envVars ?? null,
      uploadKeyHash: uploadKey === null ? null : computeDigest(uploadKey),
    });
    const { id, type, url, foundryVersionId } = serializeDeployment(context, deployment);
    const uploadUrl = uploadKey === null ? null : context.buildUploadUrl(id, uploadKey);
    const createdDeployment: CreatedDeployment = { id, type, url, foundryVersionId, uploadUrl };
    return { status: 201, body: { data: createdDeployment } };
  },
};

/** The handlers of the operations of deployments. */
export const deploymentHandlers = {
  "apps.deployments.list": defineHandler("apps.deployments.list", listHandler),
  "services.deployments.list": defineHandler("services.deployments.list", listHandler),
  "apps.deployments.create": defineHandler("apps.deployments.create", createHandler),
  "services.deployments.create": defineHandler("services.deployments.create", createHandler),

  "deployments.get": defineHandler("deployments.get", {
    check: (call) => requireAccess(call, "deployment", call.path.deploymentId),
    execute: ({ context }, deployment) => ({
      status: 200,
      body: { data: serializeDeploymentDetails(context, deployment) },
    }),
  }),

  "deployments.delete": defineHandler("deployments.delete", {
    check: (call) => {
      const deployment = requireAccess(call, "deployment", call.path.deploymentId);
      if (!isDeletable(deployment.status)) throw errors["deployment:not_deletable"](deployment);
      return deployment;
    },
    execute: ({ context }, deployment) => {
      removeFromApp(context, deployment);
      context.store.deployments.delete(deployment.id);
      return { status: 204 };
    },
  }),

  "deployments.start": defineHandler("deployments.start", {
    check: (call) => {
      const deployment = requireAccess(call, "deployment", call.path.deploymentId);
      if (!isStartable(deployment.status)) throw errors["deployment:not_startable"](deployment);
      return deployment;
    },
    execute: ({ context }, deployment) => ({
      status: 200,
      body: { data: { previewDomain: startDeployment(context, deployment) } },
    }),
  }),

  "deployments.stop": defineHandler("deployments.stop", {
    check: (call) => {
      const deployment = requireAccess(call, "deployment", call.path.deploymentId);
      if (!isStoppable(deployment.status)) throw errors["deployment:not_stoppable"](deployment);
      return deployment;
    },
    execute: ({ context }, deployment) => {
      stopDeployment(context, deployment);
      return { status: 204 };
    },
  }),
};

/** Removes a deleted deployment from its app. The app's custom domains serve nothing until the next promotion. */
const removeFromApp = ({ store }: OperationContext, { id, appId }: DeploymentRow): void => {
  const app = store.apps.get(appId);
  if (app === undefined) return;
  store.apps.update(appId, {
    latestDeploymentId: app.latestDeploymentId === id ? null : app.latestDeploymentId,
    domains: app.domains.map((domain) =>
      domain.deploymentId === id ? { ...domain, deploymentId: null } : domain,
    ),
  });
};
