import type { BackupRow, DatabaseStatus, DeploymentStatus } from "../../store/rows.js";

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
export const backupStatuses: readonly BackupRow["status"][] = ["running", "completed", "failed", "unknown"];
export const backupTypes: readonly BackupRow["backupType"][] = ["full", "incremental", "differential"];
