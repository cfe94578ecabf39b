import type * as schema from "../../src/generated/schemas.js";

interface One<T> {
  data: T;
}

/** The body of each operation's success. Tests also check every response against the contract. */
export interface Responses {
  "projects.list": schema.ProjectList;
  "projects.create": One<schema.ProjectWithDatabase>;
  "projects.get": One<schema.Project>;
  "projects.update": One<schema.Project>;
  "projects.delete": undefined;
  "projects.transfer": undefined;
  "projects.databases.list": schema.DatabaseList;
  "projects.databases.create": One<schema.DatabaseWithSecrets>;
  "databases.list": schema.DatabaseList;
  "databases.create": One<schema.DatabaseWithSecrets>;
  "databases.get": One<schema.Database>;
  "databases.update": One<schema.Database>;
  "databases.delete": undefined;
  "databases.restore": One<schema.Database>;
  "databases.backups.list": schema.BackupList;
  "databases.usage.get": schema.Usage;
  "databases.connections.list": schema.ConnectionList;
  "databases.connections.create": One<schema.ConnectionWithSecrets>;
  "connections.list": schema.ConnectionList;
  "connections.create": One<schema.ConnectionWithSecrets>;
  "connections.get": One<schema.Connection>;
  "connections.delete": undefined;
  "connections.rotate": One<schema.ConnectionWithSecrets>;
  "integrations.list": schema.IntegrationList;
  "integrations.get": One<schema.Integration>;
  "integrations.delete": undefined;
  "workspaces.list": schema.WorkspaceList;
  "workspaces.create": One<schema.Workspace>;
  "workspaces.get": One<schema.Workspace>;
  "workspaces.integrations.list": schema.IntegrationList;
  "workspaces.integrations.delete": undefined;
  "workspaces.serviceTokens.list": schema.ServiceTokenList;
  "workspaces.serviceTokens.create": One<schema.ServiceTokenWithValue>;
  "workspaces.serviceTokens.delete": undefined;
  "regions.list": schema.ProductRegionList;
  "regions.listPostgres": schema.RegionList;
  "me.get": One<schema.Me>;
  "agentApprovals.get": schema.Approval;
  "projects.branches.list": schema.BranchList;
  "projects.branches.create": One<schema.Branch>;
  "branches.get": One<schema.Branch>;
  "branches.update": One<schema.Branch>;
  "branches.delete": undefined;
  "apps.list": schema.AppList;
  "apps.create": One<schema.App>;
  "apps.get": One<schema.App>;
  "apps.update": One<schema.App>;
  "apps.delete": undefined;
  "apps.promote": One<schema.Promotion>;
  "services.list": schema.AppList;
  "services.create": One<schema.App>;
  "services.get": One<schema.App>;
  "services.update": One<schema.App>;
  "services.delete": undefined;
  "services.promote": One<schema.Promotion>;
  "workspaces.subscription.get": One<schema.Subscription>;
  "regions.listAccelerate": schema.AccelerateRegionList;
  "apps.deployments.list": schema.DeploymentList;
  "apps.deployments.create": One<schema.CreatedDeployment>;
  "services.deployments.list": schema.DeploymentList;
  "services.deployments.create": One<schema.CreatedDeployment>;
  "deployments.get": One<schema.DeploymentDetails>;
  "deployments.delete": undefined;
  "deployments.start": One<schema.StartedDeployment>;
  "deployments.stop": undefined;
}
