import { deploymentErrors } from "../deployments/deployment-errors.js";
import type { Success, OperationCall } from "../../context/operation-handler.js";
import { errors } from "../../values/errors.js";
import { requireAccess } from "../../request/resource-access.js";
import type { AppRow } from "../../store/rows.js";

type PromoteCall = OperationCall<"apps.promote" | "services.promote">;

/** Returns `deploymentId`, or its former name `versionId` when it is absent. */
const deploymentIdOf = ({ body }: PromoteCall): string => {
  const deploymentId = body.deploymentId ?? body.versionId;
  if (deploymentId === undefined) {
    throw errors.validationFailed([{ path: "/deploymentId", message: "is required" }]);
  }
  return deploymentId;
};

/** Promotes a deployment. The custom domains of the previously promoted deployment move to it. */
export const promote = (requireApp: (call: PromoteCall) => AppRow) => ({
  check: (call: PromoteCall) => {
    const deploymentId = deploymentIdOf(call);
    const app = requireApp(call);
    const deployment = requireAccess(call, "deployment", deploymentId);
    if (deployment.appId !== app.id) throw errors.notFound("deployment");
    if (deployment.status !== "running") throw deploymentErrors.notRunning(deployment.status);
    return { app, deployment };
  },
  act: (
    { context }: PromoteCall,
    { app, deployment }: { app: AppRow; deployment: { id: string } },
  ): Success => {
    const previous = app.latestDeploymentId;
    const moves = (domain: AppRow["domains"][number]): boolean =>
      previous !== null && previous !== deployment.id && domain.deploymentId === previous;
    const reassignedDomains = app.domains.filter(moves).length;
    context.store.apps.update(app.id, {
      latestDeploymentId: deployment.id,
      domains: app.domains.map((domain) =>
        moves(domain) || domain.deploymentId === null ? { ...domain, deploymentId: deployment.id } : domain,
      ),
    });
    return { status: 200, body: { data: { appEndpointDomain: app.endpointDomain, reassignedDomains } } };
  },
});
