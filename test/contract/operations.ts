/** Every operation of the API, written down apart from the contract: name, method and path, origin. */
const documented = `
projects.list                      GET    /v1/projects
projects.create                    POST   /v1/projects
projects.get                       GET    /v1/projects/{id}
projects.update                    PATCH  /v1/projects/{id}
projects.delete                    DELETE /v1/projects/{id}
projects.transfer                  POST   /v1/projects/{id}/transfer
projects.databases.list            GET    /v1/projects/{projectId}/databases
projects.databases.create          POST   /v1/projects/{projectId}/databases
databases.restore                  POST   /v1/databases/{targetDatabaseId}/restore
databases.delete                   DELETE /v1/databases/{databaseId}
databases.connections.create       POST   /v1/databases/{databaseId}/connections
connections.rotate                 POST   /v1/connections/{id}/rotate
integrations.list                  GET    /v1/integrations
integrations.get                   GET    /v1/integrations/{id}
integrations.delete                DELETE /v1/integrations/{id}
workspaces.integrations.list       GET    /v1/workspaces/{workspaceId}/integrations
workspaces.integrations.delete     DELETE /v1/workspaces/{workspaceId}/integrations/{clientId}
workspaces.serviceTokens.list      GET    /v1/workspaces/{workspaceId}/service-tokens
regions.listPostgres               GET    /v1/regions/postgres
agentApprovals.get                 GET    /v1/agent-approvals/{approvalId}
apps.list                          GET    /v1/apps
apps.create                        POST   /v1/apps
apps.get                           GET    /v1/apps/{appId}
apps.update                        PATCH  /v1/apps/{appId}
apps.delete                        DELETE /v1/apps/{appId}
apps.promote                       POST   /v1/apps/{appId}/promote
`;

const extended = `
me.get                             GET    /v1/me
workspaces.list                    GET    /v1/workspaces
workspaces.create                  POST   /v1/workspaces
workspaces.get                     GET    /v1/workspaces/{id}
workspaces.serviceTokens.create    POST   /v1/workspaces/{workspaceId}/service-tokens
workspaces.serviceTokens.delete    DELETE /v1/workspaces/{workspaceId}/service-tokens/{serviceTokenId}
databases.list                     GET    /v1/databases
databases.create                   POST   /v1/databases
databases.get                      GET    /v1/databases/{databaseId}
databases.update                   PATCH  /v1/databases/{databaseId}
databases.connections.list         GET    /v1/databases/{databaseId}/connections
databases.backups.list             GET    /v1/databases/{databaseId}/backups
databases.usage.get                GET    /v1/databases/{databaseId}/usage
connections.list                   GET    /v1/connections
connections.create                 POST   /v1/connections
connections.get                    GET    /v1/connections/{id}
connections.delete                 DELETE /v1/connections/{id}
regions.list                       GET    /v1/regions
projects.branches.list             GET    /v1/projects/{projectId}/branches
projects.branches.create           POST   /v1/projects/{projectId}/branches
branches.get                       GET    /v1/branches/{branchId}
branches.update                    PATCH  /v1/branches/{branchId}
branches.delete                    DELETE /v1/branches/{branchId}
services.list                      GET    /v1/services
services.create                    POST   /v1/services
services.get                       GET    /v1/services/{serviceId}
services.update                    PATCH  /v1/services/{serviceId}
services.delete                    DELETE /v1/services/{serviceId}
services.promote                   POST   /v1/services/{serviceId}/promote
services.deployments.list          GET    /v1/services/{serviceId}/deployments
services.deployments.create        POST   /v1/services/{serviceId}/deployments
deployments.get                    GET    /v1/deployments/{deploymentId}
deployments.delete                 DELETE /v1/deployments/{deploymentId}
deployments.start                  POST   /v1/deployments/{deploymentId}/start
deployments.stop                   POST   /v1/deployments/{deploymentId}/stop
`;

export interface KnownOperation {
  operationId: string;
  method: string;
  path: string;
  origin: string;
}

const rows = (table: string, origin: string): KnownOperation[] =>
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [operationId = "", method = "", path = ""] = line.split(/\s+/);
      return { operationId, method, path, origin };
    });

export const knownOperations: KnownOperation[] = [
  ...rows(documented, "documented"),
  ...rows(extended, "extended"),
];
