import type { Service, Tenant } from "./service.js";

/** Creates a tenant without any resource. */
export const createEmpty = (service: Service): Promise<Tenant> => service.createTenant("Acme");

/** Creates a tenant with one project, `webshop`, that has a resource of every kind. */
export const createWebshop = async (service: Service): Promise<Tenant> => {
  const tenant = await createEmpty(service);
  const { workspaceId } = tenant;
  const fields = { workspaceId, name: "webshop", region: "eu-central-1", logicalId: "webshop" };
  const project = await service.seed("project", fields);
  // A list is an array of resources.
  const [defaultDatabase] = (await service.api(
    tenant.token,
    "GET",
    `/databases?projectId=${project}`,
  )) as unknown as unknown[];
  const branch = await service.seed("branch", { projectId: project, gitName: "feature/cart" });
  const database = await service.seed("database", {
    projectId: project,
    name: "reports",
    region: "eu-central-1",
  });
  const connection = await service.seed("connection", { databaseId: database, name: "worker" });
  const backup = await service.seed("backup", { databaseId: database });
  const app = await service.seed("app", { projectId: project, displayName: "web" });
  const deployment = await service.seed("deployment", { appId: app, portMapping: { http: 3000 } });
  const serviceToken = await service.seed("service-token", { workspaceId, name: "ci" });
  const integration = await service.seed("integration", { workspaceId, clientName: "Dashboards" });
  const { client } = await service.api(tenant.token, "GET", `/integrations/${integration}`);
  const ids = {
    project,
    defaultDatabase: idIn(defaultDatabase),
    branch,
    database,
    connection,
    backup,
    app,
    deployment,
    serviceToken,
    integration,
    client: idIn(client),
  };
  return { ...tenant, ids };
};

const otherProjects = [
  "blog",
  "billing",
  "customer portal",
  "docs",
  "inventory",
  "landing page",
  "mobile backend",
  "newsletter",
  "playground",
  "search index",
  "status page",
];

/** Creates a tenant with `webshop` and eleven more projects, so that a picker of projects needs a search. */
export const createAcme = async (service: Service): Promise<Tenant> => {
  const tenant = await createWebshop(service);
  for (const name of otherProjects) {
    await service.seed("project", { workspaceId: tenant.workspaceId, name, createDatabase: false });
  }
  return tenant;
};

/** Returns the id of a resource in another one. */
const idIn = (resource: unknown): string => (resource as { id: string }).id;
