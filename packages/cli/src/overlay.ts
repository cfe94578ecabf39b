import type { OperationId } from "./generated/operation-id.js";

/** What the contract cannot say about a command. */
export interface CommandOverlay {
  /** A body field that may be given as an argument, after the ids: `projects create shop`. */
  readonly argument?: string;
  /** Asks before it is done; reads after "This will" and may name path parameters. */
  readonly confirm?: string;
  /** It makes or fills a database that `--wait` waits for: where the answer holds it (dotted; empty: the answer itself). */
  readonly wait?: string;
  /** Called when the group is called without a command. */
  readonly groupDefault?: boolean;
  /** What stands after `mgmt` in examples that the contract's own do not show. */
  readonly examples?: readonly string[];
}

export const overlays: Readonly<Partial<Record<OperationId, CommandOverlay>>> = {
  "projects.create": {
    argument: "name",
    wait: "database",
    examples: ["projects create shop --region eu-central-1 --wait"],
  },
  "projects.update": { examples: ["projects update proj_4k9d8s2m6f1h3j5k7l9q0w2e --name shop"] },
  "projects.transfer": {
    confirm: "move project {id} with everything in it to another workspace",
    examples: [
      "projects transfer proj_4k9d8s2m6f1h3j5k7l9q0w2e --recipient-access-token-file token.txt --yes",
    ],
  },
  "projects.databases.create": { argument: "name", wait: "" },
  "projects.branches.create": { argument: "gitName" },
  "databases.create": { argument: "name", wait: "" },
  "databases.restore": {
    confirm: "overwrite all data of database {targetDatabaseId} and lose what was written after the backup",
    wait: "",
  },
  "databases.connections.create": { argument: "name" },
  "connections.create": { argument: "name" },
  "connections.rotate": { confirm: "give connection {id} a new password and end the present one" },
  "workspaces.create": { argument: "displayName" },
  "workspaces.serviceTokens.create": { argument: "name" },
  "apps.create": { argument: "displayName" },
  "apps.promote": { argument: "deploymentId" },
  "services.create": { argument: "displayName" },
  "services.promote": { argument: "deploymentId" },
  "me.get": { groupDefault: true },
};

export const overlayOf = (id: string): CommandOverlay =>
  (Object.hasOwn(overlays, id) ? overlays[id as OperationId] : undefined) ?? {};

export interface GroupOverlay {
  readonly heading: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
}

const build = "Build:";
const workspace = "Workspace:";
const service = "Service:";

/** What the overview says about the groups, in the order in which it shows them. */
export const groupOverlays: Readonly<Record<string, GroupOverlay>> = {
  projects: { heading: build, summary: "Projects, and what they hold", aliases: ["project"] },
  databases: { heading: build, summary: "Databases: restore, backups, usage", aliases: ["database", "db"] },
  connections: { heading: build, summary: "Credentials that open a database", aliases: ["connection"] },
  branches: { heading: build, summary: "Branches of a project", aliases: ["branch"] },
  services: { heading: build, summary: "Services and their deployments", aliases: ["service"] },
  deployments: { heading: build, summary: "Deployments: start, stop, look", aliases: ["deployment"] },
  apps: { heading: build, summary: "Deprecated: use services", aliases: ["app"] },
  me: { heading: workspace, summary: "Who the token belongs to" },
  workspaces: {
    heading: workspace,
    summary: "Workspaces, their service tokens and integrations",
    aliases: ["workspace"],
  },
  integrations: {
    heading: workspace,
    summary: "OAuth clients that a workspace has authorised",
    aliases: ["integration"],
  },
  "agent-approvals": {
    heading: workspace,
    summary: "Approvals that an agent waits for",
    aliases: ["agent-approval"],
  },
  regions: { heading: service, summary: "Where databases can live", aliases: ["region"] },
};
