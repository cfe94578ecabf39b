// A program in a page or a worker, without the types of Node.js.
import {
  type ApiError,
  type CreateApp,
  type MgmtClient,
  ProjectNotFoundError,
  type ProjectWithDatabase,
  createClient,
  isApiError,
} from "@mgmt/sdk";
import {
  type Authenticator,
  type Credential,
  createAuthenticator,
  finishLogin,
  memoryStore,
} from "@mgmt/sdk/auth";
import { ServicesResource, createPartialClient } from "@mgmt/sdk/partial";

const client: MgmtClient = createClient({ baseUrl: "https://api.example.com", token: "token" });
const small = createPartialClient({ services: ServicesResource }, { baseUrl: "https://api.example.com" });
const oauth = { authUrl: "https://auth.example.com", clientId: "itgr_1" };
const authenticator: Authenticator = createAuthenticator({ ...oauth, store: memoryStore() });

export const run = async (signal: AbortSignal): Promise<string | undefined> => {
  const project: ProjectWithDatabase = await client.projects.create(
    { name: "shop", region: "eu-central-1" },
    { signal },
  );
  for await (const { name, workspace } of client.projects.list({ limit: 10 }))
    if (name === workspace.name) return name;
  const { data, response } = await client.http.GET("/v1/projects/{id}", {
    params: { path: { id: project.id } },
  });
  const service: CreateApp = { displayName: "web", projectId: project.id, branchId: null, logicalId: "web" };
  try {
    const made = await client.services.create(service);
    return made.latestDeploymentId ?? data?.data.name ?? String(response.status);
  } catch (error) {
    if (isApiError(error, "app:already_exists"))
      return `${error.existingAppId} ${error.conflict satisfies "name" | "logicalId"}`;
    if (error instanceof ProjectNotFoundError) return error.code satisfies "project:not_found";
    if (isApiError(error)) return (error satisfies ApiError).requestId;
    throw error;
  }
};

export const logIn = async (callback: string, attempt: Parameters<typeof finishLogin>[0]["attempt"]) => {
  const credential: Credential = await finishLogin({ ...oauth, attempt, callback });
  return credential.refreshToken ?? (await authenticator.token());
};

/** Undefined leaves a field out. */
export const rename = (name: string | undefined) => client.projects.update("proj_1", { name });
export const listFrom = (cursor: string | undefined) => client.projects.list({ cursor, limit: undefined });
export const listByPath = (cursor: string | undefined) =>
  client.http.GET("/v1/projects", { params: { query: { cursor } } });

const place = { displayName: "web", projectId: "proj_1" };
const twoWays = { branchId: "br_1", branchGitName: "main" };

export const refused: (() => unknown)[] = [
  // @ts-expect-error The field does not exist.
  () => client.projects.create({ nmae: "shop" }),
  // @ts-expect-error Both name a branch.
  () => client.services.create({ ...place, ...twoWays }),
  // @ts-expect-error Both name a branch, for a client with one resource.
  () => small.services.create({ ...place, ...twoWays }),
  // @ts-expect-error Both filter by branch.
  () => client.databases.list(twoWays),
  // @ts-expect-error Both name a branch, on the typed path client.
  () => client.http.POST("/v1/databases", { body: { projectId: "x", ...twoWays } }),
  // @ts-expect-error A move cannot set a logicalId.
  () => client.services.update("x", { logicalId: null, branchId: null }),
  // @ts-expect-error The deployment is missing.
  () => client.services.promote("x", {}),
];
