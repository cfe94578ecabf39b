import type { Behaviours } from "../request/behaviour.js";
import type { JobHandlers } from "../time/scheduler.js";
import { agentApprovalBehaviours } from "./agent-approvals/agent-approvals.js";
import { appBehaviours } from "./apps/apps.js";
import { backupBehaviours } from "./databases/backups.js";
import { branchBehaviours } from "./branches/branches.js";
import { connectionBehaviours } from "./connections/connections.js";
import { databaseJobs } from "./databases/database-lifecycle.js";
import { removalJobs } from "./databases/database-removal.js";
import { databaseBehaviours } from "./databases/databases.js";
import { deploymentJobs } from "./deployments/deployment-lifecycle.js";
import { deploymentBehaviours } from "./deployments/deployments.js";
import { integrationBehaviours } from "./integrations/integrations.js";
import { meBehaviours } from "./me/me.js";
import { projectBehaviours } from "./projects/projects.js";
import { regionBehaviours } from "./regions/regions.js";
import { restoreBehaviours } from "./databases/restore.js";
import { serviceTokenBehaviours } from "./workspaces/service-tokens.js";
import { transferBehaviours } from "./projects/transfer.js";
import { usageBehaviours } from "./databases/usage.js";
import { workspaceBehaviours } from "./workspaces/workspaces.js";

/** What every operation of the contract does; the compiler names the one that is missing. */
export const behaviours = {
  ...projectBehaviours,
  ...transferBehaviours,
  ...databaseBehaviours,
  ...restoreBehaviours,
  ...connectionBehaviours,
  ...backupBehaviours,
  ...usageBehaviours,
  ...branchBehaviours,
  ...appBehaviours,
  ...deploymentBehaviours,
  ...integrationBehaviours,
  ...workspaceBehaviours,
  ...serviceTokenBehaviours,
  ...regionBehaviours,
  ...meBehaviours,
  ...agentApprovalBehaviours,
} satisfies Behaviours;

/** What happens later on the server's clock. */
export const jobs: JobHandlers = { ...databaseJobs, ...removalJobs, ...deploymentJobs };
