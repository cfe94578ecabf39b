// What a program in a page or a worker says to the SDK: no types of Node are there.
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

const place = { displayName: "web", projectId: "proj_1" };
const twoWays = { branchId: "br_1", branchGitName: "main" };

export const refused: (() => unknown)[] = [
  // @ts-expect-error No such field.
  () => client.projects.create({ nmae: "shop" }),
  // @ts-expect-error Two ways to name a branch.
  () => client.services.create({ ...place, ...twoWays }),
  // @ts-expect-error The same of a client with one resource.
  () => small.services.create({ ...place, ...twoWays }),
  // @ts-expect-error Two filters of one thing.
  () => client.databases.list(twoWays),
  // @ts-expect-error Two ways to name a branch, on the typed path client.
  () => client.http.POST("/v1/databases", { body: { projectId: "x", ...twoWays } }),
  // @ts-expect-error Move first.
  () => client.services.update("x", { logicalId: null, branchId: null }),
  // @ts-expect-error No deployment.
  () => client.services.promote("x", {}),
  // @ts-expect-error A field that is undefined is not one that is absent.
  () => client.projects.update("x", { name: undefined }),
];
