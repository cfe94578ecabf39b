import { becomeAgent } from "./agent.js";
import { type Interrupted, type Interruptions, secret, words } from "./interrupted.js";
import type { Place } from "./place.js";
import { accountInterruptions } from "./shots/accounts.js";
import { machineInterruptions } from "./shots/machine.js";
import { provisioningInterruptions } from "./shots/provisioning.js";
import { workspaceInterruptions } from "./shots/workspaces.js";

const setRunning = async ({ service, ids }: Place): Promise<void> => {
  await service.control("PUT", `/deployments/${ids["deployment"] ?? ""}/status`, { status: "running" });
};

const deletion = (line: string, sent: string): Interrupted => ({ line: words(`${line} --yes`), sent });

/** `apps` is the old name of `services`. */
const serviceInterruptions = (group: "services" | "apps"): Readonly<Record<string, Interrupted>> => ({
  [`mgmt ${group} create`]: {
    line: words(`${group} create api --project-id webshop`),
    before: "projects.list",
    sent: `${group}.create`,
  },
  [`mgmt ${group} ensure`]: {
    line: words(`${group} ensure api --project-id {project}`),
    sent: `${group}.create`,
  },
  [`mgmt ${group} delete`]: deletion(`${group} delete {app}`, `${group}.delete`),
  [`mgmt ${group} promote`]: {
    line: words(`${group} promote {app} {deployment} --wait`),
    prepare: setRunning,
    sent: `${group}.promote`,
    // The service has one place for both.
    waiting: "services.get",
  },
  [`mgmt ${group} deployments create`]: {
    line: words(`${group} deployments create {app} --port-mapping-http 3000`),
    sent: `${group}.deployments.create`,
  },
});

const all: Interruptions = {
  "mgmt projects create": {
    line: words("projects create shop --wait"),
    tenant: "empty",
    sent: "projects.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt projects ensure": {
    line: words("projects ensure shop --logical-id shop --wait"),
    tenant: "empty",
    sent: "projects.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt projects delete": deletion("projects delete {project}", "projects.delete"),
  "mgmt projects transfer": {
    line: words("projects transfer webshop --recipient-access-token-file token.txt --yes"),
    prepare: async (place) => place.write("token.txt", (await place.service.createTenant("Globex")).token),
    before: "projects.list",
    sent: "projects.transfer",
  },
  "mgmt projects databases create": {
    line: words("projects databases create {project} figures --wait"),
    sent: "projects.databases.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt projects branches create": {
    line: words("projects branches create webshop feature/search"),
    before: "projects.list",
    sent: "projects.branches.create",
  },
  "mgmt projects branches ensure": {
    line: words("projects branches ensure {project} feature/search"),
    sent: "projects.branches.create",
  },
  "mgmt databases create": {
    line: words("databases create figures --project-id webshop --wait"),
    before: "projects.list",
    sent: "databases.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt databases ensure": {
    line: words("databases ensure figures --logical-id figures --project-id {project} --wait"),
    sent: "databases.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt databases delete": deletion("databases delete {database}", "databases.delete"),
  "mgmt databases restore": {
    line: words(
      "databases restore {database} --source-database-id {database} --source-backup-id {backup} --wait --yes",
    ),
    sent: "databases.restore",
    waiting: "databases.get",
    prints: /^status +recovering$/m,
  },
  "mgmt databases connections create": {
    line: words("databases connections create webshop/reports importer"),
    before: "projects.list",
    sent: "databases.connections.create",
  },
  "mgmt connections create": {
    line: words("connections create importer --database-id webshop/reports"),
    before: "projects.list",
    sent: "connections.create",
  },
  "mgmt connections delete": deletion("connections delete {connection}", "connections.delete"),
  "mgmt connections rotate": {
    line: words("connections rotate {connection} --yes"),
    sent: "connections.rotate",
  },
  "mgmt branches delete": deletion("branches delete {branch}", "branches.delete"),
  ...serviceInterruptions("services"),
  ...serviceInterruptions("apps"),
  "mgmt deployments delete": deletion("deployments delete {deployment}", "deployments.delete"),
  "mgmt deployments start": {
    line: words("deployments start {deployment} --wait"),
    sent: "deployments.start",
    waiting: "deployments.get",
  },
  "mgmt deployments stop": {
    line: words("deployments stop {deployment} --wait"),
    prepare: setRunning,
    sent: "deployments.stop",
    waiting: "deployments.get",
  },
  "mgmt workspaces create": { line: words("workspaces create Globex"), sent: "workspaces.create" },
  "mgmt workspaces integrations delete": deletion(
    "workspaces integrations delete {workspace} {client}",
    "workspaces.integrations.delete",
  ),
  "mgmt workspaces service-tokens create": {
    line: words("workspaces service-tokens create {workspace} deploy"),
    sent: "workspaces.serviceTokens.create",
  },
  "mgmt workspaces service-tokens delete": deletion(
    "workspaces service-tokens delete {workspace} {serviceToken}",
    "workspaces.serviceTokens.delete",
  ),
  "mgmt integrations delete": deletion("integrations delete {integration}", "integrations.delete"),
  "mgmt agent-approvals wait": {
    line: words("agent-approvals wait {approval}"),
    prepare: becomeAgent,
    waiting: "agentApprovals.get",
  },
  ...accountInterruptions,
  ...provisioningInterruptions,
  ...machineInterruptions,
  ...workspaceInterruptions,
};

/** Every command that waits or creates. */
export const interruptions: Readonly<Record<string, Interrupted>> = Object.fromEntries(
  Object.entries(all).flatMap(([line, each]) => (each === "passive" ? [] : [[line, each]])),
);

/** Commands that have a shot which changes something or waits, and that need no interruption. */
export const passiveCommands: readonly string[] = Object.keys(all).filter((line) => all[line] === "passive");
