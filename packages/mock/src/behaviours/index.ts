import type { Behaviours } from "../engine/behaviour.js";
import type { JobHandlers } from "../engine/scheduler.js";
import { agentApprovalBehaviours } from "./agent-approvals.js";
import { appBehaviours } from "./apps.js";
import { backupBehaviours } from "./backups.js";
import { branchBehaviours } from "./branches.js";
import { connectionBehaviours } from "./connections.js";
import { databaseJobs } from "./database-lifecycle.js";
import { removalJobs } from "./database-removal.js";
import { databaseBehaviours } from "./databases.js";
import { deploymentJobs } from "./deployment-lifecycle.js";
import { deploymentBehaviours } from "./deployments.js";
import { integrationBehaviours } from "./integrations.js";
import { meBehaviours } from "./me.js";
import { projectBehaviours } from "./projects.js";
import { regionBehaviours } from "./regions.js";
import { restoreBehaviours } from "./restore.js";
import { serviceTokenBehaviours } from "./service-tokens.js";
import { transferBehaviours } from "./transfer.js";
import { usageBehaviours } from "./usage.js";
import { workspaceBehaviours } from "./workspaces.js";

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
