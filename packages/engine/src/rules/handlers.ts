import type { OperationHandlers } from "../context/operation-handler.js";
import type { JobHandlers } from "../jobs/job-handler.js";
import { agentApprovalHandlers } from "./agent-approvals/agent-approvals.js";
import { appHandlers } from "./apps/apps.js";
import { backupJobs } from "./databases/backup-jobs.js";
import { backupHandlers } from "./databases/backups.js";
import { branchHandlers } from "./branches/branches.js";
import { connectionHandlers } from "./connections/connections.js";
import { changeJobs } from "./databases/database-changes.js";
import { databaseJobs } from "./databases/database-lifecycle.js";
import { removalJobs } from "./databases/database-removal.js";
import { databaseHandlers } from "./databases/databases.js";
import { deploymentJobs } from "./deployments/deployment-lifecycle.js";
import { deploymentHandlers } from "./deployments/deployments.js";
import { integrationHandlers } from "./integrations/integrations.js";
import { meHandlers } from "./me/me.js";
import { projectHandlers } from "./projects/projects.js";
import { regionHandlers } from "./regions/regions.js";
import { restoreHandlers } from "./databases/restore.js";
import { serviceTokenHandlers } from "./workspaces/service-tokens.js";
import { transferHandlers } from "./projects/transfer.js";
import { usageHandlers } from "./databases/usage.js";
import { workspaceHandlers } from "./workspaces/workspaces.js";

/** The handlers of all operations of the contract. A missing one is a type error. */
export const operationHandlers = {
  ...projectHandlers,
  ...transferHandlers,
  ...databaseHandlers,
  ...restoreHandlers,
  ...connectionHandlers,
  ...backupHandlers,
  ...usageHandlers,
  ...branchHandlers,
  ...appHandlers,
  ...deploymentHandlers,
  ...integrationHandlers,
  ...workspaceHandlers,
  ...serviceTokenHandlers,
  ...regionHandlers,
  ...meHandlers,
  ...agentApprovalHandlers,
} satisfies OperationHandlers;

/** The handlers of all jobs. */
export const jobHandlers: JobHandlers = {
  ...backupJobs,
  ...databaseJobs,
  ...changeJobs,
  ...removalJobs,
  ...deploymentJobs,
};
