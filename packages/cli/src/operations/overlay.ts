import type { OperationId } from "../generated/operation-id.js";

/** The resource that `--wait` waits for. */
export interface WaitRule {
  /**
   * What settles: a database until it is ready, a deployment until it is running, the stop of a deployment, the promotion of a
   * deployment, or the transfer of a project.
   */
  readonly for: "database" | "deployment" | "stop" | "promotion" | "transfer";
  /** Where it is in the response. Absent if it is the response. */
  readonly at?: readonly string[];
  /** Path parameter with its id, if the response does not have it. */
  readonly parameter?: string;
}

/** What the command of an operation has beyond the contract. */
export interface CommandOverlay {
  /** A body field that can be passed as an argument after the ids: `projects create shop`. */
  readonly argument?: string;
  /** What the command asks the user to confirm: "This will …". May contain path parameters in braces. */
  readonly confirm?: string;
  /** What `--wait` waits for. Absent if nothing settles after the response. */
  readonly wait?: WaitRule;
  /** Whether this command runs when its group is called without a command. */
  readonly groupDefault?: boolean;
  /** Examples beyond the contract's, without `mgmt`. May contain path parameters in braces. */
  readonly examples?: readonly string[];
}

export const overlays: Readonly<Partial<Record<OperationId, CommandOverlay>>> = {
  "projects.create": {
    argument: "name",
    wait: { for: "database", at: ["database"] },
    examples: ["projects create shop --region eu-central-1 --wait"],
  },
  "projects.update": { examples: ["projects update {id} --name shop"] },
  "projects.transfer": {
    confirm: "move project {id} and everything in it to another workspace",
    wait: { for: "transfer", parameter: "id" },
    examples: ["projects transfer {id} --recipient-access-token-file token.txt --yes"],
  },
  "projects.databases.create": { argument: "name", wait: { for: "database" } },
  "projects.branches.create": { argument: "gitName" },
  "databases.create": { argument: "name", wait: { for: "database" } },
  "databases.restore": {
    confirm: "overwrite all data of database {targetDatabaseId} and lose everything written after the backup",
    wait: { for: "database" },
  },
  "databases.connections.create": { argument: "name" },
  "connections.create": { argument: "name" },
  "connections.rotate": { confirm: "give connection {id} a new password and invalidate the current one" },
  "workspaces.create": { argument: "displayName" },
  "workspaces.serviceTokens.create": { argument: "name" },
  "apps.create": { argument: "displayName" },
  "apps.promote": { argument: "deploymentId", wait: { for: "promotion", parameter: "appId" } },
  "services.create": { argument: "displayName" },
  "services.promote": { argument: "deploymentId", wait: { for: "promotion", parameter: "serviceId" } },
  "apps.deployments.create": { wait: { for: "deployment" } },
  "services.deployments.create": { wait: { for: "deployment" } },
  "deployments.start": {
    wait: { for: "deployment", parameter: "deploymentId" },
    examples: ["deployments start {deploymentId} --wait"],
  },
  "deployments.stop": {
    wait: { for: "stop", parameter: "deploymentId" },
    examples: ["deployments stop {deploymentId} --wait"],
  },
  "me.get": { groupDefault: true },
};

export const overlayOf = (id: string): CommandOverlay =>
  // The check makes it one of the keys.
  (Object.hasOwn(overlays, id) ? overlays[id as OperationId] : undefined) ?? {};

/** How the overview shows a group of operations. */
export interface GroupOverlay {
  readonly heading: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
}

const build = "Build:";
const workspace = "Workspace:";
const service = "Service:";

/** The groups of operations, in the order of the overview. */
export const groupOverlays: Readonly<Record<string, GroupOverlay>> = {
  projects: { heading: build, summary: "Projects and their contents", aliases: ["project"] },
  databases: {
    heading: build,
    summary: "Databases, restores, backups and usage",
    aliases: ["database", "db"],
  },
  connections: { heading: build, summary: "Credentials for databases", aliases: ["connection"] },
  branches: { heading: build, summary: "Branches of a project", aliases: ["branch"] },
  services: { heading: build, summary: "Services and their deployments", aliases: ["service"] },
  deployments: {
    heading: build,
    summary: "Show, start, stop and delete deployments",
    aliases: ["deployment"],
  },
  apps: { heading: build, summary: "Deprecated: use services", aliases: ["app"] },
  me: { heading: workspace, summary: "Show who the token belongs to" },
  workspaces: {
    heading: workspace,
    summary: "Workspaces, their service tokens and integrations",
    aliases: ["workspace"],
  },
  integrations: {
    heading: workspace,
    summary: "OAuth clients that a workspace has authorized",
    aliases: ["integration"],
  },
  "agent-approvals": {
    heading: workspace,
    summary: "Approvals of agents' requests",
    aliases: ["agent-approval"],
  },
  regions: { heading: service, summary: "Regions for databases", aliases: ["region"] },
};
