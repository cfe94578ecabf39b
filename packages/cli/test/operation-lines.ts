import { expect } from "vitest";
import type { OperationId } from "@mgmt/sdk";
import { definitions, validLine } from "./operation-examples.js";
import { type Result, runLine } from "./result.js";
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

/** Command lines that say more than the example in the contract, or need more than its ids. */
const ownLines: Partial<Record<OperationId, Line>> = {
  "projects.list": ({ mgmt }) => mgmt`projects list --limit 5`,
  "projects.create": ({ mgmt }) => mgmt`projects create shop --region eu-west-3 --logical-id shop.1`,
  "projects.update": ({ mgmt, projectId }) =>
    mgmt`projects update ${projectId} --name store --settings ${'{"ci":{"on":true}}'}`,
  "projects.transfer": async ({ as, env, projectId, server }) => {
    const recipient = await server.engine.tokens.otherUser();
    const mgmt = as(env["MGMT_TOKEN"] ?? "", { stdin: recipient });
    return mgmt`projects transfer ${projectId} --recipient-access-token-file - --yes`;
  },
  "projects.databases.create": ({ mgmt, projectId, databaseId }) =>
    mgmt`projects databases create ${projectId} copy --source-type database --source-database-id ${databaseId}`,
  "projects.branches.list": ({ mgmt, projectId }) =>
    mgmt`projects branches list ${projectId} --git-name-contains ma`,
  "databases.list": ({ mgmt, projectId }) => mgmt`databases list --project-id ${projectId}`,
  "databases.create": ({ mgmt, projectId }) => mgmt`databases create reports --project-id ${projectId}`,
  "databases.update": ({ mgmt, databaseId }) => mgmt`databases update ${databaseId} --unset logical-id`,
  "databases.delete": async ({ mgmt, projectId, make }) => {
    const { id } = await make.database(projectId);
    return mgmt`databases delete ${id} --yes`;
  },
  "databases.backups.list": async ({ mgmt, databaseId, make }) => {
    await make.backup(databaseId);
    return mgmt`databases backups list ${databaseId} --limit 1`;
  },
  "connections.list": ({ mgmt, databaseId }) => mgmt`connections list --database-id ${databaseId}`,
  "integrations.list": async ({ mgmt, make, workspaceId }) => {
    await make.integration();
    return mgmt`integrations list --workspace-id ${workspaceId}`;
  },
  "workspaces.create": ({ mgmt }) => mgmt`workspaces create ${"Second one"}`,
  "workspaces.integrations.delete": async ({ mgmt, make, workspaceId }) => {
    const { client } = await make.integration();
    return mgmt`workspaces integrations delete ${workspaceId} ${client.id} --yes`;
  },
  "regions.list": ({ mgmt }) => mgmt`regions list --product postgres`,
  "me.get": ({ mgmt }) => mgmt`me`,
  "agentApprovals.get": async ({ as, server, projectId }) => {
    const agent = as(await server.engine.tokens.agent());
    const response = await agent`projects delete ${projectId} --yes --output json`;
    const [line] = response.errors as { error: { code: string; details: { approvalId: string } } }[];
    expect(line?.error.code).toBe("approval_required");
    return agent`agent-approvals get ${line?.error.details.approvalId ?? ""}`;
  },
  ...appLines("apps"),
  ...appLines("services"),
  "deployments.stop": async ({ mgmt, make, projectId }) => {
    const app = await make.app(projectId);
    const { id } = await make.deployment(app.id, { status: "running" });
    return mgmt`deployments stop ${id}`;
  },
};

function appLines<Group extends "apps" | "services">(group: Group) {
  const own: Record<"list" | "create" | "update" | "promote", Line> = {
    list: async ({ mgmt, make, projectId }) => {
      await make.app(projectId);
      return mgmt`${group} list --project-id ${projectId} --branch-git-name main`;
    },
    create: ({ mgmt, projectId }) => mgmt`${group} create ${`web ${group}`} --project-id ${projectId}`,
    update: async ({ mgmt, make, projectId }) => {
      const { id } = await make.app(projectId);
      return mgmt`${group} update ${id} --unset branch-id`;
    },
    promote: async ({ mgmt, make, projectId }) => {
      const { id } = await make.app(projectId);
      const deployment = await make.deployment(id, { status: "running" });
      return mgmt`${group} promote ${id} ${deployment.id}`;
    },
  };
  const named = Object.entries(own).map(([name, line]) => [`${group}.${name}`, line]);
  // The keys are the name of the group and those of `own`.
  return Object.fromEntries(named) as Record<`${Group}.${keyof typeof own}`, Line>;
}

/** Returns the id of a resource, by the prefix of the ids in the contract's examples. */
const resources: Readonly<Record<string, (fixture: Fixture) => string | Promise<string>>> = {
  wksp: ({ workspaceId }) => workspaceId,
  proj: ({ projectId }) => projectId,
  db: ({ databaseId }) => databaseId,
  con: ({ connectionId }) => connectionId,
  bkp: async ({ make, databaseId }) => (await make.backup(databaseId)).id,
  br: async ({ make, projectId }) => (await make.branch(projectId)).id,
  cps: async ({ make, projectId }) => {
    const { id } = await make.app(projectId);
    await make.deployment(id);
    return id;
  },
  dpl: async ({ make, projectId }) => {
    const { id } = await make.app(projectId);
    return (await make.deployment(id, { status: "created" })).id;
  },
  itgr: async ({ make }) => (await make.integration()).integration.id,
  stk: async ({ make }) => (await make.serviceToken()).id,
};

/** A valid command line for every operation. One without its own is the example in the contract, on resources that exist. */
export const operationLines: Readonly<Record<string, Line>> = Object.fromEntries(
  definitions.map((definition): [string, Line] => {
    // Every id of an operation is a key.
    const own = ownLines[definition.id as OperationId];
    const fromExample: Line = async (fixture) => {
      const line = await Promise.all(
        validLine(definition, "").map((word) => {
          const prefix = /^([a-z]+)_[a-z0-9]{24}$/.exec(word)?.[1] ?? "";
          return resources[prefix]?.(fixture) ?? word;
        }),
      );
      return runLine(fixture.mgmt, line);
    };
    return [definition.id, own ?? fromExample];
  }),
);

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
