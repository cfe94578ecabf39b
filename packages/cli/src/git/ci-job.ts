import type { Context } from "../input/context.js";
import { detectCiSystem, isVariableOn } from "../system/ci-system.js";
import { findBranchNameProblem, removeHeadsPrefix } from "./branch-name.js";
import { ciSystems, type CiSystem, type PullRequest, type ReadVariable } from "./ci-variables.js";

/** The information of a CI job about the git branch that it runs for. */
export interface CiJob {
  /** For a pull request its source; with the owner before it, as in `alice:patch-1`, if that is in a fork. */
  readonly branch: string | undefined;
  /** Why a CI job has no branch, or undefined outside of CI. */
  readonly problem: string | undefined;
  /** Short form of the commit, which need not exist in the clone. */
  readonly commit: string | undefined;
  /** URL of the repository that the job belongs to. */
  readonly repository: string | undefined;
  /** The default branch of the repository. */
  readonly defaultBranch: string | undefined;
}

const emptyJob = { branch: undefined, commit: undefined, repository: undefined, defaultBranch: undefined };

/** Returns the information in the variables of the CI system that runs this command. Variables of other systems are ignored. */
export const readCiJob = async (env: Context["env"]): Promise<CiJob> => {
  const readVariable = (name: string): string | undefined => env[name]?.trim() || undefined;
  const system = ciSystems.find(({ detectedBy }) =>
    typeof detectedBy === "string"
      ? isVariableOn(readVariable(detectedBy))
      : readVariable(detectedBy[0]) === detectedBy[1],
  );
  if (system) return readSystemJob(system, readVariable);
  const problem = detectCiSystem(env) && "the CI system is not one whose variables are known";
  return { ...emptyJob, problem };
};

const readSystemJob = async (system: CiSystem, read: ReadVariable): Promise<CiJob> => {
  const { name, tag, commit, repository } = system;
  const pullRequest = await system.pullRequest?.(read);
  const defaultBranch = await system.defaultBranch?.(read);
  const branchResult = pullRequest
    ? readPullRequestBranch(name, pullRequest, defaultBranch)
    : readRefBranch(name, tag && read(tag), system.branch.map(read).find(Boolean));
  const commitId = pullRequest ? pullRequest.commit : commit && read(commit);
  return {
    ...branchResult,
    commit: commitId !== undefined && /^[0-9a-f]{7,64}$/.test(commitId) ? commitId : undefined,
    repository: repository?.(read),
    defaultBranch,
  };
};

type BranchResult = Pick<CiJob, "branch" | "problem">;

const createNoBranchResult = (problem: string): BranchResult => ({ branch: undefined, problem });

const readPullRequestBranch = (
  system: string,
  pullRequest: PullRequest,
  defaultBranch: string | undefined,
): BranchResult => {
  const { number, forkOwner } = pullRequest;
  const [source, target] = [pullRequest.source, pullRequest.target].map(
    (ref) => ref && removeHeadsPrefix(ref),
  );
  // A branch is not merged into itself.
  const isFork = pullRequest.isFork ?? (source === target || source === defaultBranch);
  if (source === undefined || (isFork && forkOwner === undefined && number === undefined)) {
    return createNoBranchResult(
      `${system} does not say which branch of which repository the pull request comes from`,
    );
  }
  const { branch, problem } = createBranchResult(system, source);
  if (branch === undefined || !isFork) return { branch, problem };
  // No branch of the repository has a colon in its name.
  const owner = forkOwner ?? `pull-${String(number)}`;
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(owner)) {
    return createNoBranchResult(
      `${system} names the owner ${JSON.stringify(owner.slice(0, 100))} of the fork`,
    );
  }
  return { branch: `${owner}:${branch}`, problem: undefined };
};

const readRefBranch = (system: string, tag: string | undefined, ref: string | undefined): BranchResult => {
  const tagName = tag ?? /^refs\/tags\/(.+)$/.exec(ref ?? "")?.[1];
  if (tagName !== undefined)
    return createNoBranchResult(`the CI job runs for the tag ${tagName}, not for a branch`);
  if (ref === undefined) return createNoBranchResult(`${system} does not name the branch`);
  const branch = removeHeadsPrefix(ref);
  if (branch.startsWith("refs/"))
    return createNoBranchResult(`the CI job runs for ${branch}, not for a branch`);
  return createBranchResult(system, branch);
};

const createBranchResult = (system: string, branch: string): BranchResult => {
  const problem = findBranchNameProblem(branch);
  return problem === undefined
    ? { branch, problem }
    : createNoBranchResult(
        `${system} names the branch ${JSON.stringify(branch.slice(0, 100))}, and ${problem}`,
      );
};
