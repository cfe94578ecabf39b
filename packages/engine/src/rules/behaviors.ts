import type { Behaviors } from "../context/behavior.js";
import type { JobHandlers } from "../jobs/job-handler.js";
import { agentApprovalBehaviors } from "./agent-approvals/agent-approvals.js";
import { appBehaviors } from "./apps/apps.js";
import { backupJobs } from "./databases/backup-jobs.js";
import { backupBehaviors } from "./databases/backups.js";
import { branchBehaviors } from "./branches/branches.js";
import { connectionBehaviors } from "./connections/connections.js";
import { changeJobs } from "./databases/database-changes.js";
import { databaseJobs } from "./databases/database-lifecycle.js";
import { removalJobs } from "./databases/database-removal.js";
import { databaseBehaviors } from "./databases/databases.js";
import { deploymentJobs } from "./deployments/deployment-lifecycle.js";
import { deploymentBehaviors } from "./deployments/deployments.js";
import { integrationBehaviors } from "./integrations/integrations.js";
import { meBehaviors } from "./me/me.js";
import { projectBehaviors } from "./projects/projects.js";
import { regionBehaviors } from "./regions/regions.js";
import { restoreBehaviors } from "./databases/restore.js";
import { serviceTokenBehaviors } from "./workspaces/service-tokens.js";
import { transferBehaviors } from "./projects/transfer.js";
import { usageBehaviors } from "./databases/usage.js";
import { workspaceBehaviors } from "./workspaces/workspaces.js";

/** The behaviors of all operations of the contract. A missing one is a type error. */
export const behaviors = {
  ...projectBehaviors,
  ...transferBehaviors,
  ...databaseBehaviors,
  ...restoreBehaviors,
  ...connectionBehaviors,
  ...backupBehaviors,
  ...usageBehaviors,
  ...branchBehaviors,
  ...appBehaviors,
  ...deploymentBehaviors,
  ...integrationBehaviors,
  ...workspaceBehaviors,
  ...serviceTokenBehaviors,
  ...regionBehaviors,
  ...meBehaviors,
  ...agentApprovalBehaviors,
} satisfies Behaviors;

/** The handlers of all jobs. */
export const jobs: JobHandlers = {
  ...backupJobs,
  ...databaseJobs,
  ...changeJobs,
  ...removalJobs,
  ...deploymentJobs,
};
