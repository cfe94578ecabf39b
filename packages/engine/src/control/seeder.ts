import type { Engine } from "../request/engine.js";
import { toCanonicalId } from "../values/ids.js";
import { assertKnownOptions } from "../values/known-options.js";
import type { UserPrincipal } from "../values/principal.js";
import { adminScope } from "../values/principal.js";
import type { OperationContext } from "../context/operation-context.js";
import type { Store } from "../store/store.js";
import type { RequestContext } from "../context/request-context.js";
import { runWriteTransaction, runReadTransaction } from "./run-transaction.js";
import type { OperationId } from "../generated/operations.js";
import type {
  App,
  Backup,
  Branch,
  Client,
  ConnectionWithSecrets,
  CreateApp,
  CreateBranch,
  CreateDatabaseConnection,
  CreatedDeployment,
  CreateDeployment,
  CreateProject,
  CreateProjectDatabase,
  CreateServiceToken,
  DatabaseWithSecrets,
  DeploymentStatus,
  Integration,
  MeUser,
  ProjectWithDatabase,
  ServiceTokenWithValue,
  Workspace,
} from "../generated/schemas.js";
import { serializeIntegration } from "../rules/integrations/integrations.js";
import { serializeWorkspace } from "../rules/workspaces/workspaces.js";
import type { UserRow, WorkspaceRow } from "../store/rows.js";
import * as controlErrors from "./control-errors.js";
import { DefaultRows } from "./default-rows.js";
import { serializeUser } from "./serialize-resources.js";
import type { StateControl } from "./state-control.js";
import { type DeepOptional, applyDefaults } from "../values/with-defaults.js";

/** The workspace to create a resource in. Default: the first one. */
export interface TargetWorkspace {
  workspaceId?: string | undefined;
}

/**
 * Creates resources, using operations of the API where they exist. The same rules apply, and the same `RequestError`s
 * are thrown. Databases are created in the status `ready`.
 */
export class Seeder {
  /**
   * @param homeWorkspaceId id of the workspace to create resources in by default. Default: the first one.
   * @internal
   */
  constructor(
    private readonly getRequestContext: () => RequestContext,
    private readonly engine: Engine,
    private readonly states: StateControl,
    private readonly homeWorkspaceId?: string,
  ) {}

  /** Creates a user, who is a member of no workspace. */
  user(user: { email?: string | undefined; name?: string | null | undefined } = {}): Promise<MeUser> {
    return runWriteTransaction(this.getRequestContext(), (context) => {
      assertKnownOptions(user, ["email", "name"]);
      return serializeUser(insertUser(context, user));
    });
  }

  /** Creates a workspace. Its owner is a new user unless one is given. */
  workspace(workspace: { name?: string | undefined; ownerId?: string | undefined } = {}): Promise<Workspace> {
    return runWriteTransaction(this.getRequestContext(), (context) => {
      assertKnownOptions(workspace, ["name", "ownerId"]);
      const { store, ids, clock } = context;
      const ownerId =
        workspace.ownerId === undefined
          ? insertUser(context, {}).id
          : toCanonicalId("user", workspace.ownerId);
      if (!store.users.get(ownerId)) throw controlErrors.notFound("user", ownerId);
      const { name = ids.generateName() } = workspace;
      const row = store.workspaces.insert({
        id: ids.generateId("workspace"),
        createdAt: clock.now(),
        name,
        memberIds: [ownerId],
      });
      return serializeWorkspace(context, row);
    });
  }

  /** Creates a project. Its database is `ready`. */
  async project(
    body: DeepOptional<CreateProject> = {},
    target: TargetWorkspace = {},
  ): Promise<ProjectWithDatabase> {
    const project = await this.#performAsOwner<ProjectWithDatabase>(
      "projects.create",
      {},
      body,
      target.workspaceId,
    );
    if (project.database) await this.states.setDatabaseStatus(project.database.id, "ready");
    return project;
  }

  /** Creates a database, which is `ready`. */
  async database(
    projectId: string,
    body: DeepOptional<CreateProjectDatabase> = {},
  ): Promise<DatabaseWithSecrets> {
    const workspaceId = await this.#findWorkspaceOfProject(projectId);
    const database = await this.#performAsOwner<DatabaseWithSecrets>(
      "projects.databases.create",
      { projectId },
      body,
      workspaceId,
    );
    await this.states.setDatabaseStatus(database.id, "ready");
    return database;
  }

  /** Creates a connection, with its connection string. */
  async connection(
    databaseId: string,
    body: DeepOptional<CreateDatabaseConnection> = {},
  ): Promise<ConnectionWithSecrets> {
    const completeBody = applyDefaults({ name: await this.#generateName() }, body);
    const workspaceId = await runReadTransaction(this.getRequestContext(), ({ store }) =>
      findWorkspaceOfProject(
        store,
        store.databases.get(toCanonicalId("database", databaseId))?.projectId ?? "",
      ),
    );
    return this.#performAsOwner("databases.connections.create", { databaseId }, completeBody, workspaceId);
  }

  /** Creates a completed backup of the current data. */
  backup(databaseId: string): Promise<Backup> {
    return this.states.backUp(databaseId);
  }

  /** Creates a branch. */
  async branch(projectId: string, body: DeepOptional<CreateBranch> = {}): Promise<Branch> {
    const completeBody = applyDefaults({ gitName: await this.#generateName() }, body);
    const workspaceId = await this.#findWorkspaceOfProject(projectId);
    return this.#performAsOwner("projects.branches.create", { projectId }, completeBody, workspaceId);
  }

  /** Creates an app. */
  async app(projectId: string, body: DeepOptional<CreateApp> = {}): Promise<App> {
    const completeBody = applyDefaults({ displayName: await this.#generateName(), projectId }, body);
    return this.#performAsOwner(
      "services.create",
      {},
      completeBody,
      await this.#findWorkspaceOfProject(projectId),
    );
  }

  /**
   * Creates a deployment of the app, with the status `created` by default. No operation of the API sets `envVars`, its environment
   * variables.
   */
  async deployment(
    appId: string,
    options: DeepOptional<CreateDeployment> & {
      status?: DeploymentStatus | undefined;
      envVars?: Readonly<Record<string, string>> | undefined;
    } = {},
  ): Promise<CreatedDeployment> {
    const { status, envVars, ...body } = options;
    const workspaceId = await runReadTransaction(this.getRequestContext(), ({ store }) =>
      findWorkspaceOfProject(store, store.apps.get(toCanonicalId("app", appId))?.projectId ?? ""),
    );
    const deployment = await this.#performAsOwner<CreatedDeployment>(
      "services.deployments.create",
      { serviceId: appId },
      body,
      workspaceId,
    );
    if (status === "running" || status === "provisioning" || status === "stopped" || status === "stopping") {
      await this.#performAsOwner(
        "deployments.start",
        { deploymentId: deployment.id },
        undefined,
        workspaceId,
      );
    }
    if (envVars) await this.states.setDeploymentVariables(deployment.id, envVars);
    if (status) await this.states.setDeploymentStatus(deployment.id, status);
    return deployment;
  }

  /** Creates a service token, with its value. */
  async serviceToken(
    body: DeepOptional<CreateServiceToken> = {},
    target: TargetWorkspace = {},
  ): Promise<ServiceTokenWithValue> {
    const { id: workspaceId } = await runReadTransaction(this.getRequestContext(), ({ store }) =>
      this.#requireWorkspace(store, target.workspaceId),
    );
    const completeBody = applyDefaults({ name: await this.#generateName() }, body);
    return this.#performAsOwner(
      "workspaces.serviceTokens.create",
      { workspaceId },
      completeBody,
      workspaceId,
    );
  }

  /** Creates an integration: a workspace's consent to an OAuth client. Creates the client too if it does not exist. */
  integration(
    integration: TargetWorkspace & {
      clientName?: string | undefined;
      clientId?: string | undefined;
      userId?: string | undefined;
      scopes?: readonly string[] | undefined;
    } = {},
  ): Promise<{ integration: Integration; client: Client }> {
    return runWriteTransaction(this.getRequestContext(), (context) => {
      const { store, ids, clock } = context;
      assertKnownOptions(integration, ["workspaceId", "clientName", "clientId", "userId", "scopes"]);
      const workspace = this.#requireWorkspace(store, integration.workspaceId);
      const userId = integration.userId ?? workspace.memberIds[0];
      if (userId === undefined) throw controlErrors.workspaceWithoutOwner("member");
      const clientId = integration.clientId ?? ids.generateId("client");
      if (!store.clients.get(clientId)) {
        store.clients.insert({
          id: clientId,
          createdAt: clock.now(),
          name: integration.clientName ?? ids.generateName(),
          redirectUris: [],
          secretHash: null,
        });
      }
      const row = store.integrations.insert({
        id: ids.generateId("integration"),
        createdAt: clock.now(),
        workspaceId: workspace.id,
        clientId,
        userId,
        scopes: [...(integration.scopes ?? [adminScope, "offline_access"])],
      });
      const createdIntegration = serializeIntegration(context, row);
      return { integration: createdIntegration, client: createdIntegration.client };
    });
  }

  #generateName(): Promise<string> {
    return runWriteTransaction(this.getRequestContext(), ({ ids }) => ids.generateName());
  }

  #requireWorkspace(store: Store, id: string | undefined): WorkspaceRow {
    const row =
      id === undefined
        ? new DefaultRows(() => store, this.homeWorkspaceId).workspace
        : store.workspaces.get(toCanonicalId("workspace", id));
    if (!row) throw controlErrors.notFound("workspace", id ?? "");
    return row;
  }

  #findWorkspaceOfProject(projectId: string): Promise<string | undefined> {
    return runReadTransaction(this.getRequestContext(), ({ store }) =>
      findWorkspaceOfProject(store, projectId),
    );
  }

  #createOwnerPrincipal(store: Store, workspaceId: string | undefined): UserPrincipal {
    const workspace = this.#requireWorkspace(store, workspaceId);
    const user = store.users.get(workspace.memberIds[0] ?? "");
    if (!user) throw controlErrors.workspaceWithoutOwner("owner");
    return {
      kind: "user",
      subject: user.id,
      userId: user.id,
      email: user.email,
      workspaceId: workspace.id,
      scopes: [adminScope],
      clientId: null,
      integrationId: null,
      tokenId: "seed",
    };
  }

  async #performAsOwner<T>(
    operationId: OperationId,
    parameters: Record<string, string>,
    body: object | undefined,
    workspaceId: string | undefined,
  ): Promise<T> {
    const owner = await runReadTransaction(this.getRequestContext(), ({ store }) =>
      this.#createOwnerPrincipal(store, workspaceId),
    );
    const response = await this.engine.perform(owner, operationId, parameters, body);
    // The contract defines the body as `{ data: T }`; the tests check every response against the contract.
    return (response.body as { data: T } | undefined)?.data as T;
  }
}

const insertUser = (
  { store, ids, clock }: OperationContext,
  user: { email?: string | undefined; name?: string | null | undefined },
): UserRow => {
  const id = ids.generateId("user");
  const { email = `${id}@example.com`, name = null } = user;
  return store.users.insert({ id, createdAt: clock.now(), email, name });
};

const findWorkspaceOfProject = (store: Store, projectId: string): string | undefined =>
  store.projects.get(toCanonicalId("project", projectId))?.workspaceId;
