import { isRepositoryKey } from "./repository-key.js";

/**
 * What a preview database remembers. The API stores two texts of a database for its clients, and both are used: the logical id,
 * which is unique on the branch, identifies the preview of a repository and never changes; the name contains the rest.
 */
export interface PreviewRecord {
  /** First digits of the commit that `mgmt preview up` last ran for. */
  readonly commit?: string | undefined;
  /** Whether the branch is known to have been in the git remote. */
  readonly pushed?: boolean;
  /** When `mgmt preview prune` may delete it, as an ISO time. */
  readonly expiresAt?: string | undefined;
  /** Whether a run had a setup, and none has succeeded yet. */
  readonly setupPending?: boolean;
  /** Whether a setup has succeeded. */
  readonly setupDone?: boolean;
}

const prefix = "preview";

/** Returns the logical id of the preview of a repository on a branch. Undefined stands for no known repository. */
export const logicalIdOf = (repository: string | undefined): string =>
  repository === undefined ? prefix : `${prefix}.${repository}`;

/**
 * Returns the repository in the logical id of a preview, null if it was made without one, or undefined if the database is not
 * a preview.
 */
export const repositoryIn = (logicalId: string | null): string | null | undefined => {
  if (logicalId === prefix) return null;
  const key = logicalId?.startsWith(`${prefix}.`) ? logicalId.slice(prefix.length + 1) : "";
  return isRepositoryKey(key) ? key : undefined;
};

/** What the API accepts. */
const maxNameLength = 256;

/** Returns the name of the preview database of a branch: `feature/cart (commit 1a2b3c4d5e6f, pushed, expires 2026-12-01T12:00Z)`. */
export const nameWith = (branch: string, record: PreviewRecord): string => {
  const { commit, pushed, expiresAt, setupPending, setupDone } = record;
  const parts = [
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]),
    ...(pushed ? ["pushed"] : []),
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt.slice(0, 16)}Z`]),
    ...(setupPending ? ["setup pending"] : []),
    ...(setupDone ? ["setup done"] : []),
  ];
  const suffix = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  if (branch.length + suffix.length <= maxNameLength) return branch + suffix;
  let cut = "";
  for (const character of branch) {
    if (cut.length + character.length + 1 + suffix.length > maxNameLength) break;
    cut += character;
  }
  return `${cut}…${suffix}`;
};

/** Returns the record in the name of a preview database. A name that someone has changed may have none. */
export const recordIn = (name: string): PreviewRecord => {
  const part = String.raw`(?:commit [0-9a-f]{7,12}|pushed|expires \d{4}-\d\d-\d\dT\d\d:\d\dZ|setup pending|setup done)`;
  const [, text = ""] = new RegExp(String.raw` \((${part}(?:, ${part})*)\)$`).exec(name) ?? [];
  const parts = text.split(", ");
  const valueOf = (word: string): string | undefined =>
    parts.find((each) => each.startsWith(`${word} `))?.slice(word.length + 1);
  const expires = valueOf("expires");
  return {
    commit: valueOf("commit"),
    pushed: parts.includes("pushed"),
    expiresAt: expires?.replace("Z", ":00Z"),
    setupPending: parts.includes("setup pending"),
    setupDone: parts.includes("setup done"),
  };
};
