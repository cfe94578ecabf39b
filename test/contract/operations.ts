/**
 * The documented operations of Prisma's Management API, independent of the contract: id, method and path, and the statuses that they must
 * list.
 */
const documented = `
projects.list                      GET    /v1/projects                                                         200 401
projects.create                    POST   /v1/projects                                                         201 401 409 413 422
projects.get                       GET    /v1/projects/{id}                                                    200 401 404
projects.update                    PATCH  /v1/projects/{id}                                                    200 401 403 404 422
projects.delete                    DELETE /v1/projects/{id}                                                    204 400 401 404
projects.transfer                  POST   /v1/projects/{id}/transfer                                           204 401 403 404 409 413 422
projects.databases.list            GET    /v1/projects/{projectId}/databases                                   200 401 404
projects.databases.create          POST   /v1/projects/{projectId}/databases                                   201 400 401 403 404 413 422
databases.restore                  POST   /v1/databases/{targetDatabaseId}/restore                             200 401 404 409 422
databases.delete                   DELETE /v1/databases/{databaseId}                                           204 401 403 404
databases.connections.create       POST   /v1/databases/{databaseId}/connections                               200 401 404 422
connections.rotate                 POST   /v1/connections/{id}/rotate                                          200 401 404
integrations.list                  GET    /v1/integrations                                                     200 401
integrations.get                   GET    /v1/integrations/{id}                                                200 401 404
integrations.delete                DELETE /v1/integrations/{id}                                                204 401 404
workspaces.integrations.list       GET    /v1/workspaces/{workspaceId}/integrations                            200 401 404
workspaces.integrations.delete     DELETE /v1/workspaces/{workspaceId}/integrations/{clientId}                 204 401 404
workspaces.serviceTokens.list      GET    /v1/workspaces/{workspaceId}/service-tokens                          200 401
regions.listPostgres               GET    /v1/regions/postgres                                                 200
agentApprovals.get                 GET    /v1/agent-approvals/{approvalId}                                     200 404
apps.list                          GET    /v1/apps                                                             200 401 403 422 429
apps.create                        POST   /v1/apps                                                             201 401 403 404 409 413 422 429
apps.get                           GET    /v1/apps/{appId}                                                     200 401 403 404 429
apps.update                        PATCH  /v1/apps/{appId}                                                     200 401 403 404 409 413 422 429
apps.delete                        DELETE /v1/apps/{appId}                                                     204 401 403 404 409 429
apps.promote                       POST   /v1/apps/{appId}/promote                                             200 401 403 404 409 413 422
`;

export interface KnownOperation {
  operationId: string;
  method: string;
  path: string;
  statuses: number[];
}

export const documentedOperations: KnownOperation[] = documented
  .trim()
  .split("\n")
  .map((line) => {
    const [operationId = "", method = "", path = "", ...statuses] = line.split(/\s+/);
    return { operationId, method, path, statuses: statuses.map(Number) };
  });
