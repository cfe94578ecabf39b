import { formatBytes } from "../../output/bytes.js";
import type { DatabaseStatus, StatusResult } from "./gather-status.js";

/** Describes the differences between two states of the service, as lines of text. Empty if there are none. */
export const describeChanges = (before: StatusResult, after: StatusResult): string[] => {
  const lines: string[] = [];
  const earlierDatabases = new Map(before.databases.map((database) => [database.id, database]));
  for (const database of after.databases) {
    const earlierDatabase = earlierDatabases.get(database.id);
    earlierDatabases.delete(database.id);
    const name = `database ${database.name} (${database.id})`;
    if (!earlierDatabase) lines.push(`${name}: created, ${database.status}`);
    else
      lines.push(
        ...comparedFields.flatMap((field) => describeFieldChange(name, field, earlierDatabase, database)),
      );
  }
  for (const { id, name } of earlierDatabases.values()) lines.push(`database ${name} (${id}): deleted`);
  if (before.project?.name !== after.project?.name) {
    lines.push(`project: ${before.project?.name ?? "none"} → ${after.project?.name ?? "none"}`);
  }
  const [previewBefore, previewAfter] = [before.preview, after.preview];
  if (previewBefore?.databaseId !== previewAfter?.databaseId) {
    lines.push(`preview: ${previewBefore?.databaseId ?? "none"} → ${previewAfter?.databaseId ?? "none"}`);
  }
  if (before.waitingApprovals !== after.waitingApprovals) {
    lines.push(`approvals waiting: ${String(before.waitingApprovals)} → ${String(after.waitingApprovals)}`);
  }
  return lines;
};

const comparedFields = ["name", "status", "isDefault", "branch", "sizeBytes", "connections"] as const;

const fieldTitles: Readonly<Partial<Record<(typeof comparedFields)[number], string>>> = {
  isDefault: "default",
  sizeBytes: "size",
};

const describeFieldChange = (
  name: string,
  field: (typeof comparedFields)[number],
  before: DatabaseStatus,
  after: DatabaseStatus,
): string[] => {
  const [textBefore, textAfter] = [formatField(field, before[field]), formatField(field, after[field])];
  return textBefore === textAfter
    ? []
    : [`${name}: ${fieldTitles[field] ?? field} ${textBefore} → ${textAfter}`];
};

const formatField = (
  field: (typeof comparedFields)[number],
  value: string | number | boolean | null,
): string =>
  field === "sizeBytes" && typeof value === "number" ? formatBytes(value) : String(value ?? "unknown");
