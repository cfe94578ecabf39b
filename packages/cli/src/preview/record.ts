import type { Database } from "@mgmt/sdk";
import { isRepositoryKey } from "../git/repository-key.js";
import type { IsPreview } from "../manifest/read-state.js";

/**
 * The record of a preview database. Its logical id has the part that decides about its deletion, because an agent needs the approval of its
 * sponsor to change it: see the operation `databases.update`. Its name, which every user may change, contains the rest, for display.
 * Whether its setup has succeeded is in the database itself.
 */
export interface PreviewRecord {
  /** Whether the branch is known to have been in the git remote. In the logical id. */
  readonly pushed?: boolean | undefined;
  /** When `mgmt preview prune` may delete it, as an ISO time. In the logical id. */
  readonly expiresAt?: string | undefined;
  /** First digits of the commit that `mgmt preview up` last ran for. In the name. */
  readonly commit?: string | undefined;
  /** Whether a run had a setup, and none has succeeded yet. In the name. */
  readonly setupPending?: boolean;
}

/** The identity of the preview of a repository on a branch. */
export interface PreviewIdentity {
  /** Key of the git repository, or null if it was made without one. */
  readonly repository: string | null;
  /** Id of the branch that it was created on. */
  readonly branchId: string;
}

/**
 * Schema in a preview database whose comment records that a setup has succeeded. Unlike a table, a comment cannot run code of users who can
 * change the database.
 */
export const setupSchemaName = "mgmt_preview";

const logicalIdPrefix = "preview";

/**
 * Returns the logical id of a preview: `preview.shop-0123456789abcdef.br_1d6f3h8k.pushed.expires-20261201T1200Z`. The one without a record
 * is the logical id of a new preview, so that the service rejects a second preview at the same time.
 */
export const buildLogicalId = (
  { repository, branchId }: PreviewIdentity,
  { pushed, expiresAt }: Pick<PreviewRecord, "pushed" | "expiresAt"> = {},
): string =>
  [
    logicalIdPrefix,
    ...(repository === null ? [] : [repository]),
    branchId,
    ...(pushed ? ["pushed"] : []),
    ...(expiresAt === undefined ? [] : [`expires-${expiresAt.slice(0, 16).replaceAll(/[-:]/g, "")}Z`]),
  ].join(".");

/**
 * Returns what a database is the preview of, and its record. Returns undefined if it is not a preview, or has been moved to another branch.
 */
export const parseRecord = ({
  logicalId,
  branchId,
  name,
}: Pick<Database, "logicalId" | "branchId" | "name">):
  | (PreviewIdentity & { readonly record: PreviewRecord })
  | undefined => {
  const [firstPart, ...parts] = logicalId?.split(".") ?? [];
  if (firstPart !== logicalIdPrefix || branchId === null) return undefined;
  const expiresAt = parseExpiryPart(parts.at(-1));
  if (expiresAt !== undefined) parts.pop();
  const pushed = parts.at(-1) === "pushed";
  if (pushed) parts.pop();
  if (parts.pop() !== branchId) return undefined;
  const [repository = null, ...otherParts] = parts;
  if (otherParts.length > 0 || (repository !== null && !isRepositoryKey(repository))) return undefined;
  return { repository, branchId, record: { pushed, expiresAt, ...parseNameNotes(name) } };
};

/** Whether an entry of the service is the database of a preview on the branch with this id. */
export const isPreviewEntry: IsPreview = ({ path, fields }, branchId) =>
  parseRecord({ logicalId: path.at(-1) ?? null, branchId, name: String(fields["name"]) }) !== undefined;

/** Returns the time in a part of a logical id, `expires-20261201T1200Z`, as an ISO time. */
const parseExpiryPart = (part = ""): string | undefined => {
  const [, year = "", ...dateParts] = /^expires-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/.exec(part) ?? [];
  const [month, day, hour, minute] = dateParts;
  return year === "" ? undefined : `${year}-${month ?? ""}-${day ?? ""}T${hour ?? ""}:${minute ?? ""}:00Z`;
};

/** The limit of the API. */
const maxNameLength = 256;

/** Returns the name of the preview database of a branch: `feature/cart (commit 1a2b3c4d5e6f, setup pending)`. */
export const buildPreviewName = (
  branch: string,
  { commit, setupPending }: Pick<PreviewRecord, "commit" | "setupPending">,
): string => {
  const parts = [
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]),
    ...(setupPending ? ["setup pending"] : []),
  ];
  const suffix = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  if (branch.length + suffix.length <= maxNameLength) return branch + suffix;
  let shortenedBranch = "";
  for (const character of branch) {
    if (shortenedBranch.length + character.length + 1 + suffix.length > maxNameLength) break;
    shortenedBranch += character;
  }
  return `${shortenedBranch}…${suffix}`;
};

const parseNameNotes = (name: string): Pick<PreviewRecord, "commit" | "setupPending"> => {
  const [, commit, setupPendingNote] =
    / \((?:commit ([0-9a-f]{7,12}))?(?:(?:, |(?<=\())(setup pending))?\)$/.exec(name) ?? [];
  return { commit, setupPending: setupPendingNote !== undefined };
};

/** Returns whether a name is still one that this command gives the preview of a branch. */
export const isGeneratedName = (name: string, branch: string): boolean =>
  name === buildPreviewName(branch, parseNameNotes(name));
