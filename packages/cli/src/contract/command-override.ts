import type { OperationId } from "@mgmt/sdk";

/** The resource that `--wait` waits for. */
export interface WaitRule {
  /**
   * The change to wait for: a database until it is ready, a deployment until it is running, the stop of a deployment, the promotion of a
   * deployment, or the transfer of a project.
   */
  readonly for: "database" | "deployment" | "stop" | "promotion" | "transfer";
  /** Where it is in the response. Absent if it is the response. */
  readonly at?: readonly string[];
  /** Path parameter with its id, if the response does not have it. */
  readonly parameter?: string;
}

/** Properties of an operation's command that are not in the contract. */
export interface CommandOverride {
  /** A body field that can be passed as an argument after the ids: `projects create shop`. */
  readonly argument?: string;
  /** The action that the user has to confirm, after "This will". May contain path parameters in braces. */
  readonly confirm?: string;
  /** The goal of `--wait`. Absent if nothing changes after the response. */
  readonly wait?: WaitRule;
  /** Whether it creates a database, which gets its logical id as name and the region of its source or project by default. */
  readonly createsDatabase?: true;
  /** Defaults of flags where they differ from the API's, as the help shows them. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** A body field. If it is true, the response has no secret. */
  readonly noSecretWith?: string;
  /** Whether this command runs when its group is called without a command. */
  readonly isGroupDefault?: boolean;
  /** Another command that does the same. This one still works, but no list of commands has it. */
  readonly sameAs?: string;
  /** Examples beyond the contract's, without `mgmt`. May contain path parameters in braces. */
  readonly examples?: readonly string[];
}

/** A command that creates a database in a project. */
const newDatabaseOverride: CommandOverride = {
  argument: "name",
  wait: { for: "database" },
  createsDatabase: true,
  defaults: { region: "the source's region, else the project's" },
};

/** The properties of commands that are not in the contract, by operation id. */
export const commandOverrides: Readonly<Partial<Record<OperationId, CommandOverride>>> = {
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
  "projects.databases.list": { sameAs: "databases list --project-id PROJECT" },
  "projects.databases.create": { ...newDatabaseOverride, sameAs: "databases create --project-id PROJECT" },
  "projects.branches.create": { argument: "gitName" },
  "databases.create": {
    ...newDatabaseOverride,
    defaults: { ...newDatabaseOverride.defaults, name: "the logical id, or a generated name" },
  },
  "databases.restore": {
    confirm: "overwrite all data of database {targetDatabaseId} and lose everything written after the backup",
    wait: { for: "database" },
  },
  "databases.connections.list": { sameAs: "connections list --database-id DATABASE" },
  "databases.connections.create": {
    argument: "name",
    sameAs: "connections create --database-id DATABASE",
  },
  "connections.create": { argument: "name" },
  "connections.rotate": { confirm: "give connection {id} a new password and invalidate the current one" },
  "workspaces.create": { argument: "displayName" },
  "workspaces.serviceTokens.create": { argument: "name" },
  "apps.create": { argument: "displayName" },
  "apps.promote": { argument: "deploymentId", wait: { for: "promotion", parameter: "appId" } },
  "services.create": { argument: "displayName" },
  "services.promote": { argument: "deploymentId", wait: { for: "promotion", parameter: "serviceId" } },
  "apps.deployments.create": { wait: { for: "deployment" }, noSecretWith: "skipCodeUpload" },
  "services.deployments.create": { wait: { for: "deployment" }, noSecretWith: "skipCodeUpload" },
  "deployments.start": {
    wait: { for: "deployment", parameter: "deploymentId" },
    examples: ["deployments start {deploymentId} --wait"],
  },
  "deployments.stop": {
    wait: { for: "stop", parameter: "deploymentId" },
    examples: ["deployments stop {deploymentId} --wait"],
  },
  "workspaces.integrations.list": { sameAs: "integrations list --workspace-id WORKSPACE" },
  "regions.listPostgres": { sameAs: "regions list --product postgres" },
  "regions.listAccelerate": { sameAs: "regions list --product accelerate" },
  "me.get": { isGroupDefault: true, sameAs: "whoami" },
};

/**
 * Returns what an operation's command has beyond the contract.
 *
 * @param id operation id, such as `projects.create`.
 * @returns an empty object if there is nothing, or no such operation.
 */
export const getOverride = (id: string): CommandOverride =>
  // The check makes it one of the keys.
  (Object.hasOwn(commandOverrides, id) ? commandOverrides[id as OperationId] : undefined) ?? {};

/** Returns whether help leaves out the command of an operation, because another command does the same. */
export const isHiddenCommand = ({ id }: { readonly id: string }): boolean =>
  getOverride(id).sameAs !== undefined;

/** How the overview shows a group of operations. */
export interface GroupOverride {
  readonly heading: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  /** Whether no list of commands has it. */
  readonly hidden?: boolean;
}

const resourcesHeading = "Resources:";

/** The groups of operations, in the order of the overview. */
export const groupOverrides: Readonly<Record<string, GroupOverride>> = {
  projects: { heading: resourcesHeading, summary: "Projects and their contents", aliases: ["project"] },
  databases: {
    heading: resourcesHeading,
    summary: "Databases, restores, backups and usage",
    aliases: ["database"],
  },
  connections: { heading: resourcesHeading, summary: "Credentials for databases", aliases: ["connection"] },
  branches: { heading: resourcesHeading, summary: "Branches of a project", aliases: ["branch"] },
  services: { heading: resourcesHeading, summary: "Services and their deployments", aliases: ["service"] },
  deployments: {
    heading: resourcesHeading,
    summary: "Show, start, stop and delete deployments",
    aliases: ["deployment"],
  },
  apps: { heading: resourcesHeading, summary: "Deprecated: use services", aliases: ["app"], hidden: true },
  me: { heading: resourcesHeading, summary: "Show who the token belongs to", hidden: true },
  workspaces: {
    heading: resourcesHeading,
    summary: "Workspaces, their service tokens and integrations",
    aliases: ["workspace"],
  },
  integrations: {
    heading: resourcesHeading,
    summary: "OAuth clients that a workspace has authorized",
    aliases: ["integration"],
  },
  "agent-approvals": {
    heading: resourcesHeading,
    summary: "Approvals of agents' requests",
    aliases: ["agent-approval"],
  },
  regions: { heading: resourcesHeading, summary: "Regions for databases", aliases: ["region"] },
};
