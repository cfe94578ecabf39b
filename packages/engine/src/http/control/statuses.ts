import type { ApprovalStatus, Backup, DatabaseStatus, DeploymentStatus } from "../../generated/schemas.js";

// The values that the control surface accepts, and that its description lists.

export const databaseStatuses: readonly DatabaseStatus[] = ["provisioning", "ready", "recovering", "failure"];
export const deploymentStatuses: readonly DeploymentStatus[] = [
  "created",
  "uploaded",
  "provisioning",
  "running",
  "failed",
  "stopping",
  "stopped",
];
export const backupStatuses: readonly Backup["status"][] = ["running", "completed", "failed", "unknown"];
export const backupTypes: readonly Backup["backupType"][] = ["full", "incremental", "differential"];
export const approvalStatuses: readonly ApprovalStatus[] = [
  "pending",
  "approved",
  "approved_window",
  "denied",
  "expired",
  "consumed",
];
