import { expect } from "vitest";
import type { OperationId } from "../src/contract/generated/operation-id.js";
import type { Mgmt, Result } from "./result.js";
import type { Session } from "./terminal.js";

/** What the command line of a test can refer to. */
export interface Fixture extends Session {
  projectId: string;
  databaseId: string;
  connectionId: string;
  workspaceId: string;
  make: Session["server"]["engine"]["seed"];
}

export type Line = (fixture: Fixture) => Promise<Result>;

/** A valid command line for every operation. An operation without one does not compile. */
export const operationLines = {
  "projects.list": ({ mgmt }) => mgmt`projects list --limit 5`,
  "projects.create": ({ mgmt }) => mgmt`projects create shop --region eu-west-3 --logical-id shop.1`,
  "projects.get": ({ mgmt, projectId }) => mgmt`projects get ${projectId}`,
  "projects.update": ({ mgmt, projectId }) =>
    mgmt`projects update ${projectId} --name store --settings ${'{"ci":{"on":true}}'}`,
  "projects.delete": ({ mgmt, projectId }) => mgmt`projects delete ${projectId} --yes`,
  "projects.transfer": async ({ as, env, projectId, server }) => {
    const recipient = await server.engine.tokens.otherUser();
    const mgmt = as(env["MGMT_TOKEN"] ?? "", { stdin: recipient });
    return mgmt`projects transfer ${projectId} --recipient-access-token-file - --yes`;
  },
  "projects.databases.list": ({ mgmt, projectId }) => mgmt`projects databases list ${projectId}`,
  "projects.databases.create": ({ mgmt, projectId, databaseId }) =>
    mgmt`projects databases create ${projectId} copy --source-type database --source-database-id ${databaseId}`,
  "projects.branches.list": ({ mgmt, projectId }) =>
    mgmt`projects branches list ${projectId} --git-name-contains ma`,
  "projects.branches.create": ({ mgmt, projectId }) =>
    mgmt`projects branches create ${projectId} feature/cart`,
  "databases.list": ({ mgmt, projectId }) => mgmt`databases list --project-id ${projectId}`,
  "databases.create": ({ mgmt, projectId }) => mgmt`databases create reports --project-id ${projectId}`,
  "databases.get": ({ mgmt, databaseId }) => mgmt`databases get ${databaseId}`,
  "databases.update": ({ mgmt, databaseId }) => mgmt`databases update ${databaseId} --unset logical-id`,
  "databases.delete": async ({ mgmt, projectId, make }) => {
    const { id } = await make.database(projectId);
    return mgmt`databases delete ${id} --yes`;
  },
  "databases.restore": async ({ mgmt, databaseId, make }) => {
    const backup = await make.backup(databaseId);
    return mgmt`databases restore ${databaseId} --source-database-id ${databaseId} --source-backup-id ${backup.id} -y`;
  },
  "databases.backups.list": async ({ mgmt, databaseId, make }) => {
    await make.backup(databaseId);
    return mgmt`databases backups list ${databaseId} --limit 1`;
  },
  "databases.usage.get": ({ mgmt, databaseId }) => mgmt`databases usage get ${databaseId}`,
  "databases.connections.list": ({ mgmt, databaseId }) => mgmt`databases connections list ${databaseId}`,
  "databases.connections.create": ({ mgmt, databaseId }) =>
    mgmt`databases connections create ${databaseId} worker`,
  "connections.list": ({ mgmt, databaseId }) => mgmt`connections list --database-id ${databaseId}`,
  "connections.create": ({ mgmt, databaseId }) =>
    mgmt`connections create --name worker --database-id ${databaseId}`,
  "connections.get": ({ mgmt, connectionId }) => mgmt`connections get ${connectionId}`,
  "connections.delete": ({ mgmt, connectionId }) => mgmt`connections delete ${connectionId} --yes`,
  "connections.rotate": ({ mgmt, connectionId }) => mgmt`connections rotate ${connectionId} --yes`,
  "integrations.list": async ({ mgmt, make, workspaceId }) => {
    await make.integration();
    return mgmt`integrations list --workspace-id ${workspaceId}`;
  },
  "integrations.get": async ({ mgmt, make }) => {
    const { integration } = await make.integration();
    return mgmt`integrations get ${integration.id}`;
  },
  "integrations.delete": async ({ mgmt, make }) => {
    const { integration } = await make.integration();
    return mgmt`integrations delete ${integration.id} --yes`;
  },
  "workspaces.list": ({ mgmt }) => mgmt`workspaces list`,
  "workspaces.create": ({ mgmt }) => mgmt`workspaces create ${"Second one"}`,
  "workspaces.get": ({ mgmt, workspaceId }) => mgmt`workspaces get ${workspaceId}`,
  "workspaces.integrations.list": ({ mgmt, workspaceId }) =>
    mgmt`workspaces integrations list ${workspaceId}`,
  "workspaces.integrations.delete": async ({ mgmt, make, workspaceId }) => {
    const { client } = await make.integration();
    return mgmt`workspaces integrations delete ${workspaceId} ${client.id} --yes`;
  },
  "workspaces.serviceTokens.list": ({ mgmt, workspaceId }) =>
    mgmt`workspaces service-tokens list ${workspaceId}`,
  "workspaces.serviceTokens.create": ({ mgmt, workspaceId }) =>
    mgmt`workspaces service-tokens create ${workspaceId} ci`,
  "workspaces.serviceTokens.delete": async ({ mgmt, make, workspaceId }) => {
    const { id } = await make.serviceToken();
    return mgmt`workspaces service-tokens delete ${workspaceId} ${id} --yes`;
  },
  "regions.list": ({ mgmt }) => mgmt`regions list --product postgres`,
  "regions.listAccelerate": ({ mgmt }) => mgmt`regions list-accelerate`,
  "workspaces.subscription.get": ({ mgmt, workspaceId }) => mgmt`workspaces subscription get ${workspaceId}`,
  "regions.listPostgres": ({ mgmt }) => mgmt`regions list-postgres`,
  "me.get": ({ mgmt }) => mgmt`me`,
  "agentApprovals.get": async ({ as, server, projectId }) => {
    const agent = as(await server.engine.tokens.agent());
    const response = await agent`projects delete ${projectId} --yes --output json`;
    const [line] = response.errors as { error: { code: string; details: { approvalId: string } } }[];
    expect(line?.error.code).toBe("approval_required");
    return agent`agent-approvals get ${line?.error.details.approvalId ?? ""}`;
  },
  "branches.get": async ({ mgmt, make, projectId }) => {
    const { id } = await make.branch(projectId);
    return mgmt`branches get ${id}`;
  },
  "branches.update": async ({ mgmt, make, projectId }) => {
    const { id } = await make.branch(projectId);
    return mgmt`branches update ${id} --is-default`;
  },
  "branches.delete": async ({ mgmt, make, projectId }) => {
    const { id } = await make.branch(projectId);
    return mgmt`branches delete ${id} --yes`;
  },
  ...appLines("apps"),
  ...appLines("services"),
  "apps.deployments.list": async ({ mgmt, make, projectId }) => {
    const { id } = await make.app(projectId);
    await make.deployment(id);
    return mgmt`apps deployments list ${id}`;
  },
  "apps.deployments.create": async ({ mgmt, make, projectId }) => {
    const { id } = await make.app(projectId);
    return mgmt`apps deployments create ${id} --port-mapping-http 3000`;
  },
  "services.deployments.list": async ({ mgmt, make, projectId }) => {
    const { id } = await make.app(projectId);
    await make.deployment(id);
    return mgmt`services deployments list ${id}`;
  },
  "services.deployments.create": async ({ mgmt, make, projectId }) => {
    const { id } = await make.app(projectId);
    return mgmt`services deployments create ${id} --port-mapping-http 3000`;
  },
  "deployments.get": (fixture) => onDeployment(fixture, (mgmt, id) => mgmt`deployments get ${id}`),
  "deployments.delete": (fixture) =>
    onDeployment(fixture, (mgmt, id) => mgmt`deployments delete ${id} --yes`),
  "deployments.start": (fixture) => onDeployment(fixture, (mgmt, id) => mgmt`deployments start ${id}`),
  "deployments.stop": (fixture) =>
    onDeployment(fixture, (mgmt, id) => mgmt`deployments stop ${id}`, "running"),
} satisfies Record<OperationId, Line>;

function appLines<Group extends "apps" | "services">(group: Group) {
  const on =
    (line: (mgmt: Mgmt, id: string, fixture: Fixture) => Promise<Result>): Line =>
    async (fixture) => {
      const { id } = await fixture.make.app(fixture.projectId);
      return line(fixture.mgmt, id, fixture);
    };
  const own: Record<"list" | "create" | "get" | "update" | "delete" | "promote", Line> = {
    list: on(
      (mgmt, _, { projectId }) => mgmt`${group} list --project-id ${projectId} --branch-git-name main`,
    ),
    create: ({ mgmt, projectId }) => mgmt`${group} create ${`web ${group}`} --project-id ${projectId}`,
    get: on((mgmt, id) => mgmt`${group} get ${id}`),
    update: on((mgmt, id) => mgmt`${group} update ${id} --unset branch-id`),
    delete: on((mgmt, id) => mgmt`${group} delete ${id} --yes`),
    promote: on(async (mgmt, id, { make }) => {
      const deployment = await make.deployment(id, { status: "running" });
      return mgmt`${group} promote ${id} ${deployment.id}`;
    }),
  };
  const named = Object.entries(own).map(([name, line]) => [`${group}.${name}`, line]);
  // The keys are the name of the group and those of `own`.
  return Object.fromEntries(named) as Record<`${Group}.${keyof typeof own}`, Line>;
}

const onDeployment = async (
  { mgmt, make, projectId }: Fixture,
  line: (mgmt: Mgmt, id: string) => Promise<Result>,
  status: "created" | "running" = "created",
): Promise<Result> => {
  const { id: appId } = await make.app(projectId);
  const { id } = await make.deployment(appId, { status });
  return line(mgmt, id);
};

/** Creates what the command lines refer to. */
export const newFixture = async (session: Session): Promise<Fixture> => {
  const { seed: make, defaults } = session.server.engine;
  const project = await make.project({ name: "shop" });
  const database = project.database;
  const connectionId = database?.connections[0]?.id;
  if (!database || connectionId === undefined)
    throw new Error("The project has no database with a connection");
  const { id: workspaceId } = defaults.workspace;
  return { ...session, make, projectId: project.id, databaseId: database.id, connectionId, workspaceId };
};
