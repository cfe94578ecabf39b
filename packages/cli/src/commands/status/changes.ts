import { formatBytes } from "../../output/bytes.js";
import type { DatabaseStatus, StatusResult } from "./gather-status.js";

/** Describes what is different between two looks at the service, as lines for people. Empty if nothing is. */
export const changesBetween = (before: StatusResult, after: StatusResult): string[] => {
  const lines: string[] = [];
  const earlier = new Map(before.databases.map((database) => [database.id, database]));
  for (const database of after.databases) {
    const known = earlier.get(database.id);
    earlier.delete(database.id);
    const name = `database ${database.name} (${database.id})`;
    if (!known) lines.push(`${name}: created, ${database.status}`);
    else lines.push(...comparedFields.flatMap((field) => changeOf(name, field, known, database)));
  }
  for (const { id, name } of earlier.values()) lines.push(`database ${name} (${id}): deleted`);
  if (before.project?.name !== after.project?.name) {
    lines.push(`project: ${before.project?.name ?? "none"} → ${after.project?.name ?? "none"}`);
  }
  const [old, now] = [before.preview, after.preview];
  if (old?.databaseId !== now?.databaseId) {
    lines.push(`preview: ${old?.databaseId ?? "none"} → ${now?.databaseId ?? "none"}`);
  }
  if (before.waitingApprovals !== after.waitingApprovals) {
    lines.push(`approvals waiting: ${String(before.waitingApprovals)} → ${String(after.waitingApprovals)}`);
  }
  return lines;
};

const comparedFields = ["name", "status", "isDefault", "branch", "sizeBytes", "connections"] as const;

const titles: Readonly<Partial<Record<(typeof comparedFields)[number], string>>> = {
  isDefault: "default",
  sizeBytes: "size",
};

const changeOf = (
  name: string,
  field: (typeof comparedFields)[number],
  before: DatabaseStatus,
  after: DatabaseStatus,
): string[] => {
  const [old, now] = [textOf(field, before[field]), textOf(field, after[field])];
  return old === now ? [] : [`${name}: ${titles[field] ?? field} ${old} → ${now}`];
};

const textOf = (field: (typeof comparedFields)[number], value: string | number | boolean | null): string =>
  field === "sizeBytes" && typeof value === "number" ? formatBytes(value) : String(value ?? "unknown");
