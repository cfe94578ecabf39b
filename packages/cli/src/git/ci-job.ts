import type { Context } from "../input/context.js";
import { ciSystemOf } from "../system/ci-system.js";
import { nameProblemOf } from "./branch-name.js";
import { ciSystems, type CiVariables, type PullRequest, type Read } from "./ci-variables.js";

/** The information of a CI job about the git branch that it runs for. */
export interface CiJob {
  /** For a pull request its source; with the owner before it, as in `alice:patch-1`, if that is in a fork. */
  readonly branch: string | undefined;
  /** Why a CI job has no branch. Undefined outside of CI. */
  readonly problem: string | undefined;
  /** Short form of the commit, which need not exist in the clone. */
  readonly commit: string | undefined;
  /** Address of the repository that the job belongs to. */
  readonly repository: string | undefined;
  /** The default branch of the repository. */
  readonly defaultBranch: string | undefined;
}

const nothing = { branch: undefined, commit: undefined, repository: undefined, defaultBranch: undefined };

/** Returns the information in the variables of the CI system that runs this command. Those of other systems are ignored. */
export const readCiJob = async (env: Context["env"]): Promise<CiJob> => {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const system = ciSystems.find(({ sign }) =>
    typeof sign === "string" ? isOn(read(sign)) : read(sign[0]) === sign[1],
  );
  if (system) return jobOf(system, read);
  const problem = ciSystemOf(env) && "the CI system is not one whose variables are known";
  return { ...nothing, problem };
};

const isOn = (value = ""): boolean => !["", "0", "false"].includes(value.toLowerCase());

const jobOf = async (system: CiVariables, read: Read): Promise<CiJob> => {
  const { name, tag, commit, repository } = system;
  const pullRequest = await system.pullRequest?.(read);
  const defaultBranch = await system.defaultBranch?.(read);
  const branch = pullRequest
    ? branchOfPullRequest(name, pullRequest, defaultBranch)
    : branchOfRef(name, tag && read(tag), system.branch.map(read).find(Boolean));
  const id = pullRequest ? pullRequest.commit : commit && read(commit);
  return {
    ...branch,
    commit: id !== undefined && /^[0-9a-f]{7,64}$/.test(id) ? id : undefined,
    repository: repository?.(read),
    defaultBranch,
  };
};

type Found = Pick<CiJob, "branch" | "problem">;

const none = (problem: string): Found => ({ branch: undefined, problem });

const branchOfPullRequest = (
  system: string,
  { number, source: ref, target, fork }: PullRequest,
  defaultBranch: string | undefined,
): Found => {
  const source = withoutPrefix(ref);
  // A branch is not merged into itself.
  const isFork =
    fork === undefined ? source === withoutPrefix(target) || source === defaultBranch : fork !== false;
  if (source === undefined || (isFork && typeof fork !== "string" && number === undefined)) {
    return none(`${system} does not say which branch of which repository the pull request comes from`);
  }
  const { branch, problem } = validBranch(system, source);
  if (branch === undefined || !isFork) return { branch, problem };
  // No branch of the repository has a colon in its name.
  const owner = typeof fork === "string" ? fork : `pull-${String(number)}`;
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(owner)) {
    return none(`${system} names the owner ${JSON.stringify(owner.slice(0, 100))} of the fork`);
  }
  return { branch: `${owner}:${branch}`, problem: undefined };
};

const branchOfRef = (system: string, tag: string | undefined, ref: string | undefined): Found => {
  const ofTag = tag ?? /^refs\/tags\/(.+)$/.exec(ref ?? "")?.[1];
  if (ofTag !== undefined) return none(`the CI job runs for the tag ${ofTag}, not for a branch`);
  if (ref === undefined) return none(`${system} does not name the branch`);
  const branch = withoutPrefix(ref);
  if (branch?.startsWith("refs/")) return none(`the CI job runs for ${branch}, not for a branch`);
  return validBranch(system, branch ?? "");
};

const withoutPrefix = (ref: string | undefined): string | undefined => ref?.replace(/^refs\/heads\//, "");

const validBranch = (system: string, branch: string): Found => {
  const problem = nameProblemOf(branch);
  return problem === undefined
    ? { branch, problem }
    : none(`${system} names the branch ${JSON.stringify(branch.slice(0, 100))}, and ${problem}`);
};
