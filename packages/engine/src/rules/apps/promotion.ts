import type { SuccessResponse, OperationCall } from "../../context/operation-handler.js";
import { errors } from "../../values/errors.js";
import { requireAccess } from "../../request/resource-access.js";
import type { AppRow } from "../../store/rows.js";

type PromoteCall = OperationCall<"apps.promote" | "services.promote">;

/** Returns `deploymentId`, or its former name `versionId` when it is absent. */
const requireDeploymentId = ({ body }: PromoteCall): string => {
  const deploymentId = body.deploymentId ?? body.versionId;
  if (deploymentId === undefined) {
    throw errors.validationFailed([{ path: "/deploymentId", message: "is required" }]);
  }
  return deploymentId;
};

/** Promotes a deployment. The custom domains of the previously promoted deployment move to it. */
export const createPromoteHandler = (requireApp: (call: PromoteCall) => AppRow) => ({
  check: (call: PromoteCall) => {
    const deploymentId = requireDeploymentId(call);
    const app = requireApp(call);
    const deployment = requireAccess(call, "deployment", deploymentId);
    if (deployment.appId !== app.id) throw errors.notFound("deployment");
    if (deployment.status !== "running") throw errors["deployment:not_running"](deployment);
    return { app, deployment };
  },
  execute: (
    { context }: PromoteCall,
    { app, deployment }: { app: AppRow; deployment: { id: string } },
  ): SuccessResponse => {
    const previousDeploymentId = app.latestDeploymentId;
    const isReassigned = (domain: AppRow["domains"][number]): boolean =>
      previousDeploymentId !== null &&
      previousDeploymentId !== deployment.id &&
      domain.deploymentId === previousDeploymentId;
    const reassignedDomainCount = app.domains.filter(isReassigned).length;
    context.store.apps.update(app.id, {
      latestDeploymentId: deployment.id,
      domains: app.domains.map((domain) =>
        isReassigned(domain) || domain.deploymentId === null
          ? { ...domain, deploymentId: deployment.id }
          : domain,
      ),
    });
    return {
      status: 200,
      body: { data: { appEndpointDomain: app.endpointDomain, reassignedDomains: reassignedDomainCount } },
    };
  },
});
