import { readRepository, type Place } from "./run-git.js";

/** Returns the first line that git prints, or undefined if there is none, or git fails or is not installed. */
export const firstLine = async (args: readonly string[], place: Place): Promise<string | undefined> => {
  try {
    return (await readRepository(args, place)).split("\n")[0] || undefined;
  } catch {
    place.signal.throwIfAborted();
    return undefined;
  }
};

/** Returns the branch that a folder is on, or undefined if it is not on a branch of a git repository. */
export const currentBranch = (place: Place): Promise<string | undefined> =>
  firstLine(["symbolic-ref", "--quiet", "--short", "HEAD"], place);

/** Returns the branches that the worktrees of a clone are on. Empty outside of a clone. */
export const checkedOutBranches = async (place: Place): Promise<ReadonlySet<string>> => {
  try {
    const output = await readRepository(["worktree", "list", "--porcelain"], place);
    return new Set([...output.matchAll(/^branch refs\/heads\/(.+)$/gm)].map(([, name = ""]) => name));
  } catch {
    place.signal.throwIfAborted();
    return new Set();
  }
};

/** A remote of a clone. */
export interface Remote {
  readonly name: string;
  readonly url: string;
}

/** Returns the remotes of a clone with the addresses that git uses. Empty outside of a clone. */
export const listRemotes = async (place: Place): Promise<readonly Remote[]> => {
  let names: string[];
  try {
    names = (await readRepository(["remote"], place)).split("\n").filter(Boolean);
  } catch {
    place.signal.throwIfAborted();
    return [];
  }
  const urls = await Promise.all(names.map((name) => firstLine(["remote", "get-url", "--", name], place)));
  return names.flatMap((name, index) => {
    const url = urls[index];
    return url === undefined ? [] : [{ name, url }];
  });
};

/** Returns the folder that relative addresses of remotes are relative to. */
export const rootFolder = async (place: Place): Promise<string> =>
  (await firstLine(["rev-parse", "--show-toplevel"], place)) ?? place.cwd;

/** Returns the commit of a branch in the clone, or in what it has fetched of a remote. */
export const commitOf = async (
  branch: string,
  remote: string | undefined,
  place: Place,
): Promise<string | undefined> => {
  const names = [
    `refs/heads/${branch}`,
    ...(remote === undefined ? [] : [`refs/remotes/${remote}/${branch}`]),
  ];
  for (const name of names) {
    const commit = await commitAt(name, place);
    if (commit !== undefined) return commit;
  }
  return undefined;
};

/** Returns the commit of a whole ref. Does not look at the commit itself: git may have to fetch it. */
const commitAt = (ref: string, place: Place): Promise<string | undefined> =>
  firstLine(["rev-parse", "--verify", "--quiet", ref], place);

/** Whether a clone has fetched a branch of one of its remotes. */
export const hasFetched = async (branch: string, remote: string, place: Place): Promise<boolean> =>
  (await commitAt(`refs/remotes/${remote}/${branch}`, place)) !== undefined;
