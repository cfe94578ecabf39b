import { becomeAgent } from "./agent.js";
import { type Interrupted, type Interruptions, secret, words } from "./interrupted.js";
import { accountInterruptions } from "./shots/accounts.js";
import { machineInterruptions } from "./shots/machine.js";
import { provisioningInterruptions } from "./shots/provisioning.js";
import { workspaceInterruptions } from "./shots/workspaces.js";

const all: Interruptions = {
  // One operation of each kind: they share their code.
  "mgmt projects create": {
    line: words("projects create shop --wait"),
    tenant: "empty",
    sent: "projects.create",
    waiting: "databases.get",
    prints: secret,
  },
  "mgmt projects branches create": {
    line: words("projects branches create webshop feature/search"),
    before: "projects.list",
    sent: "projects.branches.create",
  },
  "mgmt databases restore": {
    line: words(
      "databases restore {database} --source-database-id {database} --source-backup-id {backup} --wait --yes",
    ),
    sent: "databases.restore",
    waiting: "databases.get",
    prints: /^status +recovering$/m,
  },
  "mgmt connections delete": {
    line: words("connections delete {connection} --yes"),
    sent: "connections.delete",
  },
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

/** What is interrupted. */
export const interruptions: Readonly<Record<string, Interrupted>> = Object.fromEntries(
  Object.entries(all).flatMap(([line, each]) => (each === "passive" ? [] : [[line, each]])),
);

/** Commands that have a shot which changes something or waits, and that need no interruption. */
export const passiveCommands: readonly string[] = Object.keys(all).filter((line) => all[line] === "passive");
